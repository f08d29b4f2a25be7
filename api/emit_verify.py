"""Generated plain copies of calls for --verify: what a wrapper notes before and after the call, apart from the record
that it writes. Cold code of its own, so that the wrappers stay small. Each slot of a call gets an item, at every process
and whatever the outcome of the call."""

from emit_expressions import c_expression, significance
from emit_tables import has_matched
from function import HANDLES, STRINGS, Function, Param
from relations import recorded, trace_kind
from validate import ranks_and_tags


def emit_copies(f: Function, signature: str) -> list[str]:
    """Two functions: copyBefore_NAME and copyAfter_NAME."""
    return CopyWriter(f).lines(signature)


def passed_statuses(f: Function) -> str | None:
    """The statuses that MPI gets, where these may be the tracer's own: an expression in a wrapper."""
    return "Done.statuses()" if f.completes else "Own.status()" if has_matched(f) else None


def uses_files(f: Function) -> bool:
    return any(p.kind == "file" for p in f.params)


def is_copied_after(p: Param) -> bool:
    """Whether the record has the value after the call."""
    if p.kind in ("buffer", "memory"):
        return False
    return p.direction == "out" or (p.direction == "inout" and p.kind not in HANDLES and not p.frees)


class CopyWriter:
    def __init__(self, f: Function):
        self.f = f
        self.before: list[str] = []
        self.after: list[str] = []
        self.late: list[str] = []  # once all slots are copied
        self.kept: list[str] = []  # parameters whose values before the call are needed after it

    def lines(self, signature: str) -> list[str]:
        f = self.f
        for index, p in enumerate(recorded(f), 1):
            is_after = is_copied_after(p)
            lines = self.copy_after(p, index) if is_after else self.copy_before(p, index)
            if condition := significance(f, p):
                lines = [f"if ({condition}) {{", *lines, "} else {", f"C.absent({index});", "}"]
            (self.after if is_after else self.before).extend(lines)
        if has_matched(f) and not f.completes:
            self.after += self.matched(len(recorded(f)) + 1)
        keep = [f"C.keep({at}, valueOf({name}));" for at, name in enumerate(self.kept)]
        get = [f"const int64_t Before_{name} = C.kept({at});" for at, name in enumerate(self.kept)]
        parts = [part for part in ("" if signature == "void" else signature).replace(", ...", "").split(", ") if part]
        arguments = "".join(f", [[maybe_unused]] {part}" for part in parts)
        passed = ", [[maybe_unused]] const MPI_Status *Passed" if passed_statuses(f) else ""
        return [
            f"[[gnu::cold]] static void copyBefore_{f.name}([[maybe_unused]] RawCopy &C{arguments}) {{",
            *[f"  {line}" for line in keep + self.before],
            "}",
            f"[[gnu::cold]] static void copyAfter_{f.name}(RawCopy &C, int Ret{arguments}{passed}) {{",
            "  C.returns(Ret);",
            "  [[maybe_unused]] const bool Ok = Ret == MPI_SUCCESS;",
            *[f"  {line}" for line in get + self.after + self.late],
            "}",
        ]

    def length(self, p: Param) -> str:
        lines: list[str] = []
        text = c_expression(p.length, self.f, lines)
        for line in lines:
            name = line.removeprefix("auto Before_").split(" ")[0]
            if name not in self.kept:
                self.kept.append(name)
        return text

    def with_sentinels(self, p: Param, index: int, line: str) -> list[str]:
        for name in p.sentinels:
            if name not in ("MPI_BOTTOM", "MPI_IN_PLACE"):
                line = f'if ((const void *){p.name} == (const void *){name}) C.sentinel({index}, "{name}"); else {line}'
        return [line]

    def copy_before(self, p: Param, index: int) -> list[str]:
        f, kind = self.f, f"Kind::{trace_kind(p)}"
        if p.kind == "request":
            return self.request(p, index)
        if p.kind == "status":
            what = {None: "Message", "size": "File", "mark": "Nothing"}[p.reads]
            return [f"C.status({index}, {p.name}, CopiedStatus::{what});"]
        if p.kind in STRINGS:
            count = self.length(p) if p.length else "-1"
            return self.with_sentinels(p, index, f"C.{p.kind}({index}, {p.name}, {count});")
        if p.kind in ("buffer", "memory", "pointer", "function"):
            return [f"C.address({index}, {p.name});"]
        if p.is_array:
            length = self.length(p)
            name = f"&{p.name}[0][0]" if "(*)" in p.c_type else p.name
            line = f"C.handles({index}, {kind}, {name}, {length});" if p.kind in HANDLES else f"C.numbers({index}, {name}, {length});"
            return self.with_sentinels(p, index, line)
        if p.kind in HANDLES:
            if not p.is_written:
                return [f"C.handle({index}, {kind}, {p.name});"]
            lines = [f"if ({p.name}) C.handle({index}, {kind}, *{p.name}); else C.absent({index});"]
            if p.frees:
                lines.append(f"if ({p.name}) C.leaves({kind}, *{p.name});")
                self.late.append(f"if ({p.name}) C.ended(Ok);")
            return lines
        if p.frees:
            return [f"if ({p.name}) C.number({index}, *{p.name}); else C.absent({index});"]
        return [f"C.{'addressNumber' if p.kind == 'address' else 'number'}({index}, {p.name});"]

    def request(self, p: Param, index: int) -> list[str]:
        f = self.f
        if f.completes:
            count = self.length(p) if p.is_array else "1"
            return [f"C.takesRequests({index}, {p.name}, {count}, {'true' if p.is_array else 'false'});"]
        if p.is_array:
            return [f"C.requests({index}, {p.name}, {self.length(p)});"]
        if not p.is_written:
            return [f"C.request({index}, {p.name}, nullptr);"]
        if p.frees:
            self.late.append("C.requestEnded(Ok);")
            return [f"C.takesRequest({index}, {p.name});"]
        return [f"C.request({index}, {p.name} ? *{p.name} : MPI_REQUEST_NULL, {p.name});"]

    def copy_after(self, p: Param, index: int) -> list[str]:
        f, kind = self.f, f"Kind::{trace_kind(p)}"
        flag = f" && *{p.valid_if}" if p.valid_if else ""
        valid = f"Ok && {p.name}{flag}"
        if p.kind == "status":
            return self.status(p, index)
        if p.kind == "request":
            return [f"if (Ok && {p.name}) C.madeRequest({index}, {p.name}, {self.traits()}); else C.absent({index});"]
        if p.kind == "string":
            return [f"if ({valid}) C.string({index}, {p.name}, {self.length(p)}); else C.absent({index});"]
        if p.kind in STRINGS:
            count = self.length(p) if p.length else "-1"
            return self.with_sentinels(p, index, f"C.{p.kind}({index}, {p.name} ? *{p.name} : nullptr, {count});")
        if p.kind in ("baseptr", "pointer"):
            return [f"if ({valid}) C.address({index}, *(void **){p.name}); else C.absent({index});"]
        if p.is_array:
            length = self.length(p)
            if p.kind in HANDLES:
                method = "madeHandles" if p.direction == "out" else "handles"
                line = f"C.{method}({index}, {kind}, {p.name}, {length});"
            else:
                line = f"C.numbers({index}, {p.name}, {length});"
            if p.direction == "out":
                line = f"if (!(Ok{flag})) C.absent({index}); else {line}"
            return self.with_sentinels(p, index, line)
        if p.kind in HANDLES:
            known, late = ("true" if truth else "false" for truth in (p.ref, p.late))
            return [f"if ({valid}) C.made({index}, {kind}, *{p.name}, {known}, {late}); else C.absent({index});"]
        condition = p.name if p.direction == "inout" else valid
        method = "addressNumber" if p.kind == "address" else "number"
        return [f"if ({condition}) C.{method}({index}, *{p.name}); else C.absent({index});"]

    def traits(self) -> str:
        f = self.f
        flags = ["TellsMessage"] if f.receives else []
        flags += ["TellsFile"] if uses_files(f) else []
        flags += ["IsPersistent"] if f.persistent else []
        if f.wildcard:
            flags.append(f"({self.wildcard()} ? HadWildcard : 0u)")
        return " | ".join(flags) or "0"

    def wildcard(self) -> str:
        source, tag = ranks_and_tags(self.f)
        return f"{source.name} == MPI_ANY_SOURCE || {tag.name} == MPI_ANY_TAG"

    def status(self, p: Param, index: int) -> list[str]:
        f = self.f
        if f.completes:
            return self.completed(p, index)
        if p.is_array:
            return [f"C.absent({index}); // not recorded yet"]
        valid = "Ok" + (f" && *{p.valid_if}" if p.valid_if else "")
        request = next((q for q in f.params if q.kind == "request" and not q.is_written), None)
        kind = "File" if uses_files(f) else "Message"
        line = f"C.statusOf({index}, {request.name}, {p.name});" if request else f"C.status({index}, {p.name}, CopiedStatus::{kind});"
        return [f'if ({p.name} == MPI_STATUS_IGNORE) C.sentinel({index}, "MPI_STATUS_IGNORE"); else if ({valid}) {line} else C.absent({index});']

    def completed(self, p: Param, index: int) -> list[str]:
        f = self.f
        requests = next(q for q in f.params if q.kind == "request")
        many = f.completes in ("all", "some")
        some, count, places = "true", self.length(requests) if requests.is_array else "1", "nullptr"
        if f.completes_test and f.param("flag"):
            some = "*flag"
        if f.completes == "any":
            some, count, places = f"{some} && *index != MPI_UNDEFINED && *index >= 0", "1", "index"
        elif f.completes == "some":
            some, count, places = "true", "*outcount == MPI_UNDEFINED ? 0 : *outcount", "array_of_indices"
        matched = len(recorded(f)) + 1
        arguments = f"{index}, {matched}, {requests.name}, {p.name}, Passed, {'true' if many else 'false'}, {some}, {count}, {places}"
        self.late.append(f"C.completed({arguments});")
        return []

    def matched(self, index: int) -> list[str]:
        f = self.f
        status = next(p for p in f.params if p.kind == "status")
        flag = f" && *{status.valid_if}" if status.valid_if else ""
        condition = f"Ok{flag} && ({self.wildcard()}) && {status.name} == MPI_STATUS_IGNORE"
        return [f"if ({condition}) C.matched({index}, *Passed); else C.absent({index});"]
