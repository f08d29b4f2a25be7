"""Generated wrappers: call the real function, write a raw record, keep the books of objects and requests."""

import re

from emit_expressions import c_expression, significance, snapshot
from emit_verify import emit_copies, passed_statuses, uses_files
from emit_tables import has_matched
from function import HANDLES, SENTINELS, STRINGS, Function, Param
from relations import recorded, trace_kind
from validate import ranks_and_tags


def new_window(f: Function) -> Param | None:
    return next((p for p in f.params if p.kind == "win" and p.direction == "out"), None)


def allocated(f: Function) -> list[str]:
    """Memory that MPI hands out. A window's is gone with it, so the window has to be on the books before."""
    window = new_window(f)
    win = f", {window.name}" if window else ""
    given = [p for p in f.params if p.allocates]
    return [f"memoryHandedOut(*(void **){p.name}, {p.shape.count.name}{win});" for p in given]


def after_success(f: Function) -> list[str]:
    """What a wrapper does besides: memory that MPI hands out, beginnings and ends of sessions and of the run."""
    out = [] if new_window(f) else allocated(f)
    if f.begins:
        out.append(f"sessionBegun(*{f.begins});")
    if f.ends:
        out.append(f"sessionEnded(Before_{f.ends});")
    return out


def taken_back(f: Function) -> list[str]:
    return [f"memoryTakenBack({p.name});" for p in f.params if p.kind == "memory" and p.frees]


def switch_of(f: Function) -> str | None:
    """What tells whether the call switches tracing on or off."""
    return f"switchOf({', '.join(f.switches)})" if f.switches else None


def aborting(f: Function) -> str | None:
    """Of calls that are recorded before they are made, because they do not return."""
    return f"aborting({f.aborts});" if f.aborts else None


def may_be_wildcard(f: Function) -> str:
    source, tag = ranks_and_tags(f)
    return f"{source.name} == MPI_ANY_SOURCE || {tag.name} == MPI_ANY_TAG"


def emit_chapter(functions: list[Function]) -> str:
    lines = ['#include "pmpi/Wrap.h"', "using namespace pilgrim;", ""]
    for f in functions:
        lines += Wrapper(f).lines()
    return "\n".join(lines) + "\n"


def sentinel_index(name: str) -> int:
    return SENTINELS.index(name)


class Wrapper:
    def __init__(self, function: Function):
        self.f = function
        self.before: list[str] = []  # snapshots that the call would destroy
        self.record: list[str] = []  # writing the record
        self.varies = False  # whether a slot without a fixed length was met
        self.after: list[str] = []  # once it is written

    def lines(self) -> list[str]:
        f = self.f
        for index, p in enumerate(recorded(f), 1):
            self.param(p, index)
        if has_matched(f):
            self.begin_rest()
        if has_matched(f) and not f.completes:
            self.record.append("Own.matched(W, Ok);")
        elif has_matched(f):
            self.record.append("Done.matched(W);")
        passed = "".join(f", {p.name}" for p in f.params if p.kind != "varargs")
        parameters = f", {self.signature()}".removesuffix(", ...") if f.params else ""
        own = f"isBindingsOwn(Place.Return, {f.id}) || " if f.asked else ""
        logged = f"  LoggedCall Logged(Place, {f.id}"
        if f.asked or f.switches:
            logged += f", {own.removesuffix(' || ') or 'false'}"
        before = [f"{logged}{f', {switch_of(f)}' if f.switches else ''});"]
        before += [f"  switchBefore(Place.Return, {switch_of(f)});"] if f.switches else []
        return [
            *emit_copies(f, self.signature()),
            "template <CallForm Form>",
            f"[[gnu::always_inline]] static inline int record_{f.name}(CallScope<Form> &S{parameters}) {{",
            *(f"  {line}" for line in self.body(passed)),
            "}",
            f"[[gnu::cold, gnu::noinline]] static int other_{f.name}(CallPlace Place{parameters}) {{",
            *before,
            "  CallScope<CallForm::Other> S(Place);",
            f"  if ({own}!S.enter())" + (" {" if f.aborts else ""),
            *(["    abortingUntraced();"] if f.aborts else []),
            f"    return Real.{f.name}({passed.removeprefix(', ')});",
            *(["  }"] if f.aborts else []),
            "  Logged.entered(S.isTraced());",
            *([] if self.keeps_books() else [f"  if (S.isPassedOn({f.id})) {{", f"    const int Ret = Real.{f.name}({passed.removeprefix(', ')});", "    S.passedOn();", "    return Ret;", "  }"]),
            f"  return record_{f.name}(S{passed});",
            "}",
            *self.entry("traced", "Usual", own, passed),
            *self.entry("untimed", "Untimed", own, passed),
            "",
        ]

    def entry(self, name: str, form: str, own: str, passed: str) -> list[str]:
        """What the exported symbol jumps to."""
        f = self.f
        return [
            f'extern "C" int __pilgrim_{name}_{f.name}({self.signature()}) {{',
            "  const CallPlace Place = PILGRIM_CALL_PLACE;",
            f"  CallScope<CallForm::{form}> S(Place);",
            f"  if ({own}!S.enter()) [[unlikely]] {{",
            f"    const int Ret = other_{f.name}(Place{passed});",
            "    PILGRIM_LEFT_BY_EXCEPTIONS; // this part of the function has an unwind table of its own",
            "    return Ret;",
            "  }",
            f"  return record_{f.name}(S{passed});",
            "}",
        ]

    def keeps_books(self) -> bool:
        """Whether anything has to be done for a call that is not recorded: it makes or ends something that has a name,
        or does what is none of a call's business."""
        f = self.f
        special = (after_success(f), taken_back(f), f.switches, f.begins == "", f.ends == "", aborting(f))
        return any(special) or any(
            p.kind == "request" or (p.is_written and (p.kind in HANDLES or p.kind.startswith("tool."))) for p in f.params
        )

    def body(self, passed: str) -> list[str]:
        """What is done in a call's scope."""
        f = self.f
        # A function of dots is called without them: MPI_Pcontrol has nothing to say with them.
        call = f"Real.{f.name}({', '.join(self.passed(p) for p in f.params if p.kind != 'varargs')})"
        out = [*self.before, f"S.expect({f.id});", "RawCopy *Copy = S.copy();"]
        out += ["if (Copy) [[unlikely]]", f"  copyBefore_{f.name}(*Copy{passed});"]
        if f.ends == "":
            out += ["S.start();", "return finalize([&](int Ret) {", "S.stop();"]
        elif aborting(f):
            out += ["constexpr int Ret = MPI_SUCCESS;", "S.start();", "S.stop();"]
        else:
            begins = f.begins == ""
            out += ["initializing();"] if begins else []
            out += ["S.start();", f"int Ret = {call};"]
            # What the tracer does there is part of the call, not of what the program does behind it.
            out += ["if (Ret == MPI_SUCCESS)", "  initialized();"] if begins else []
            out.append("S.stop();")
        out.append("[[maybe_unused]] const bool Ok = Ret == MPI_SUCCESS;")
        if f.completes:
            out.append(f"Done.complete({self.completion()});")
        for line in after_success(f):
            out += ["if (Ok)", f"  {line}"]
        out += [f"FixedWriter F(S, {f.id}, Ret);", *self.record, f"S.commit({'F, W' if self.varies else 'F'});"]
        own = f", {passed_statuses(f)}" if passed_statuses(f) else ""
        out += ["if (Copy) [[unlikely]]", f"  copyAfter_{f.name}(*Copy, Ret{passed}{own});", *self.after]
        for line in taken_back(f):
            out += ["if (Ok)", f"  {line}"]
        if f.switches:
            out.append(f"switchAfter({switch_of(f)});")
        if f.ends == "":
            return [*out, "S.leave();", "});"]
        if aborting(f):
            return [*out, "S.leave();", aborting(f), f"return {call};"]
        return [*out, "return Ret;"]

    def signature(self) -> str:
        parts = []
        for p in self.f.params:
            if p.kind == "varargs":
                parts.append("...")
            elif match := re.fullmatch(r"(.*)\(\*\)(\[\d+\])", p.c_type):
                parts.append(f"{match[1]}(*{p.name}){match[2]}")
            else:
                parts.append(f"{p.c_type} {p.name}")
        return ", ".join(parts) or "void"

    def passed(self, p: Param) -> str:
        """The argument as handed on: a status of our own where the program's is ignored but needed."""
        if p.kind == "status" and p.is_written:
            if self.f.completes:
                return "Done.statuses()"
            if self.f.wildcard:
                return "Own.status()"
        return p.name

    def param(self, p: Param, index: int) -> None:
        if p.is_array or p.kind in STRINGS or p.kind == "status" or (p.kind == "request" and self.f.completes):
            self.begin_rest()
        write = self.writer(p, index)
        condition = significance(self.f, p)
        if condition:
            write = [f"if ({condition}) {{", *[f"  {w}" for w in write], "} else {", f"  {self.absent(p, index)}", "}"]
        self.record += write if self.varies else [re.sub(r"\bW\.", "F.", line) for line in write]

    def begin_rest(self) -> None:
        if not self.varies:
            self.record.append("RawWriter W(F);")
        self.varies = True

    def absent(self, p: Param, index: int) -> str:
        vector = p.is_array or p.kind in STRINGS or p.kind == "status"
        return "W.vectorAbsent();" if vector else f"W.absent({index});"

    def valid(self, p: Param) -> str:
        """Whether an output has a value."""
        conditions = ["Ok", p.name]
        if p.valid_if:
            conditions.append(f"*{p.valid_if}")
        return " && ".join(conditions)

    def writer(self, p: Param, index: int) -> list[str]:
        f = self.f
        if p.kind == "request":
            return self.request(p, index)
        if p.kind == "status" and p.is_written:
            return self.status(p)
        if p.kind in STRINGS:
            return self.text(p, index)
        if p.kind == "function" or p.kind in ("buffer", "memory") or (p.kind == "pointer" and not p.is_written):
            return [f"W.address({p.name});"]
        if p.is_array:
            return self.array(p)
        if p.kind == "status":
            what = {None: "StatusOfMessage", "size": "StatusOfFile", "mark": "StatusOfNothing"}[p.reads]
            return [f"W.givenStatus({p.name}, {what});"]
        if p.kind in ("baseptr", "pointer"):
            return [f"if ({self.valid(p)}) W.address(*(void **){p.name}); else W.absent({index});"]
        is_handle = p.kind in HANDLES
        if not p.is_written:
            return [f"W.handle({p.name});" if is_handle else f"W.number({p.name});"]
        if p.direction == "inout":
            if is_handle or p.frees:
                snapshot(p.name, self.before)
            value = f"Before_{p.name}" if p.frees else f"{p.name} ? *{p.name} : 0"
            write = f"W.handle(Before_{p.name})" if is_handle else f"W.number({value})"
            if p.frees and is_handle:
                raw = f"Kind::{trace_kind(p)}, rawHandle(Before_{p.name})"
                self.before.append(f"const uint32_t Leaving_{p.name} = objectLeaving({raw});")
                self.record.append(f"S.thread().Leaving = {{{raw}, Leaving_{p.name}}};")
                self.after.append("objectLeft(S.thread(), Ok);")
            return [f"if ({p.name}) {write}; else W.absent({index});"]
        if not is_handle:
            return [f"if ({self.valid(p)}) W.number(*{p.name}); else W.absent({index});"]
        made = f"objectMade(Kind::{trace_kind(p)}, *{p.name}, {'true' if p.ref else 'false'});"
        if p.late:
            made = f"commDuplicated({next(q.name for q in f.params if q.kind == 'comm')}, *{p.name});"
        elif p is new_window(f):
            made = " ".join([made, *allocated(f)])
        return [f"if ({self.valid(p)}) {{", f"  {made}", f"  W.handle(*{p.name});", "} else {", f"  W.absent({index});", "}"]

    def length(self, p: Param) -> str:
        return c_expression(p.length, self.f, self.before)

    def array(self, p: Param) -> list[str]:
        name = f"&{p.name}[0][0]" if "(*)" in p.c_type else p.name
        method = "handles" if p.kind in HANDLES else "numbers"
        write = f"W.{method}({name}, {self.length(p)});"
        if p.direction == "out" and p.kind in HANDLES:
            write = f"{{ arrayMade(Kind::{trace_kind(p)}, {p.name}, {self.length(p)}); {write} }}"
        if p.direction == "out":
            condition = "Ok" + (f" && *{p.valid_if}" if p.valid_if else "")
            write = f"if (!({condition})) W.vectorAbsent(); else {write}"
        for name in p.sentinels:
            if name not in ("MPI_BOTTOM", "MPI_IN_PLACE"):
                write = f"if ((const void *){p.name} == (const void *){name}) W.sentinel({sentinel_index(name)}); else {write}"
        return [write]

    def text(self, p: Param, index: int) -> list[str]:
        if p.kind == "string":
            if not p.is_written:
                return [f"W.string({p.name});"]
            return [f"if ({self.valid(p)}) W.stringOut({p.name}, {self.length(p)}); else W.vectorAbsent();"]
        count = self.length(p) if p.length else "-1"
        pointer = f"({p.name} ? *{p.name} : nullptr)" if p.is_written else p.name
        write = f"W.{p.kind}({pointer}, {count});"
        for name in p.sentinels:
            write = f"if ((const void *){p.name} == (const void *){name}) W.sentinel({sentinel_index(name)}); else {write}"
        return [write]

    # Requests and statuses

    def request(self, p: Param, index: int) -> list[str]:
        f = self.f
        if f.completes:
            count = c_expression(p.length, f, self.before) if p.is_array else "1"
            status = next(q for q in f.params if q.kind == "status")
            self.before.append(f"Completion Done(S.thread(), S.depth(), {p.name}, {count}, {status.name}, {'true' if p.is_array else 'false'}, {'true' if f.completes in ('all', 'some') else 'false'});")
            return ["Done.someRequests(W);" if f.completes in ("any", "some") else "Done.requests(W);"]
        if p.direction == "out":
            traits = ["RequestReceives"] if f.receives else []
            traits += ["RequestTransfersFile"] if uses_files(f) else []
            traits += ["RequestPersistent"] if f.persistent else []
            flags = " | ".join(traits) or "0"
            if f.wildcard:
                flags = f"({flags}) | ({may_be_wildcard(f)} ? RequestWildcard : 0u)"
            return [f"if (Ok && {p.name}) W.number(requestMade(S.thread(), S.site(), {f.id}, {p.name}, {flags})); else W.absent({index});"]
        if p.is_array:
            self.before.append(f"RequestIds Ids({p.name}, {self.length(p)});")
            return ["Ids.write(W);"]
        if p.frees:
            self.before.append(f"const LeavingRequest Leaving_{p.name} = requestLeaves({p.name});")
            self.after.append(f"requestLeft(Leaving_{p.name}, Ok);")
            return [f"W.number(Leaving_{p.name}.Name);"]
        pointer = p.name if p.is_written else "&" + p.name
        self.before.append(f"const int64_t Id_{p.name} = requestId({pointer}, {'true' if p.is_written else 'false'});")
        return [f"W.number(Id_{p.name});"]

    def status(self, p: Param) -> list[str]:
        f = self.f
        if f.completes:
            return ["Done.writeStatuses(W);"]
        valid = "Ok" + (f" && *{p.valid_if}" if p.valid_if else "")
        if f.wildcard:
            self.before.append(f"OwnStatus Own({p.name}, {may_be_wildcard(f)});")
            if p.valid_if:
                self.record.append(f"Own.validIf(Ok && *{p.valid_if});")
        if p.is_array:
            return ["W.vectorAbsent();  // MPI 4.1's Request_get_status_all and _some: not recorded yet"]
        if request := next((q for q in f.params if q.kind == "request" and not q.is_written), None):
            return [f"W.statusOf({request.name}, {p.name}, {valid});"]
        what = "StatusOfFile" if uses_files(f) else "StatusOfMessage"
        return [f"W.status({p.name}, {valid}, {what});"]

    def completion(self) -> str:
        """How complete() learns what the call completed: flag, index, outcount, array_of_indices."""
        f = self.f
        flag = "*flag" if f.completes_test and f.param("flag") else "1"
        match f.completes:
            case "any":
                return f"Ret, {flag}, index"
            case "some":
                return f"Ret, {flag}, outcount, array_of_indices"
        return f"Ret, {flag}"
