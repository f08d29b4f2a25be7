"""Generated plain copies of calls for --verify: what a wrapper notes before and after the call, apart from the record
that it writes. Cold code of its own, so that the wrappers stay small."""

from emit_expressions import c_expression, significance
from function import HANDLES, STRINGS, Function, Param
from relations import recorded, trace_kind


def emit_copies(f: Function, signature: str, before_snapshots: list[str]) -> list[str]:
    """Two functions: copyBefore_NAME and copyAfter_NAME."""
    before, after = [], []
    for index, p in enumerate(recorded(f), 1):
        is_out = p.direction == "out" and p.kind not in ("buffer", "memory")
        if p.direction == "inout" and p.kind not in (*HANDLES, *STRINGS, "buffer"):
            is_out = True  # the record has the value after the call
        lines = copy_after(f, p, index) if is_out else copy_before(f, p, index)
        if not lines:
            continue
        if condition := significance(f, p):
            lines = [f"if ({condition}) {{", *lines, "} else {", f"C.absent({index});", "}"]
        (after if is_out else before).extend(lines)
    snapshots: list[str] = []
    unused = "[[maybe_unused]] "
    params = signature if signature != "void" else ""
    comma = ", " if params else ""
    plain = params.replace(", ...", "")
    attributed = ", ".join(unused + part for part in split(plain))
    return [
        f"[[gnu::cold]] static void copyBefore_{f.name}([[maybe_unused]] RawCopy &C{comma}{attributed}) {{",
        *[f"  {line}" for line in before],
        "}",
        f"[[gnu::cold]] static void copyAfter_{f.name}(RawCopy &C, int Ret{comma}{attributed}) {{",
        "  C.Returned = true;",
        "  C.Ret = Ret;",
        "  [[maybe_unused]] const bool Ok = Ret == MPI_SUCCESS;",
        *[f"  {line}" for line in after],
        "}",
    ]


def split(signature: str) -> list[str]:
    return [part for part in signature.split(", ") if part]


def guarded_length(f: Function, p: Param) -> str | None:
    """The length of an array as an expression, or None where it takes a snapshot from before the call."""
    snapshots: list[str] = []
    text = c_expression(p.length, f, snapshots)
    return None if snapshots else text


def with_sentinels(p: Param, index: int, line: str) -> list[str]:
    for name in p.sentinels:
        if name not in ("MPI_BOTTOM", "MPI_IN_PLACE"):
            line = f'if ((const void *){p.name} == (const void *){name}) C.sentinel({index}, "{name}"); else {line}'
    return [line]


def copy_before(f: Function, p: Param, index: int) -> list[str]:
    kind = f"Kind::{trace_kind(p)}"
    if p.kind == "request":
        if p.direction == "out":
            return []
        if p.is_array:
            return [f"C.requests({index}, {p.name}, {c_expression(p.length, f, [])});"]
        return [f"C.request({index}, {p.name}, false);"] if not p.is_written else [f"if ({p.name}) C.request({index}, *{p.name}, false);"]
    if p.kind == "status":
        return []
    if p.kind == "string":
        return [f"C.string({index}, {p.name}, -1);"]
    if p.kind in STRINGS:
        return []
    if p.kind in ("buffer", "memory", "pointer", "function"):
        return [f"C.address({index}, {p.name});"]
    if p.is_array:
        length = c_expression(p.length, f, [])
        name = f"&{p.name}[0][0]" if "(*)" in p.c_type else p.name
        line = f"C.handles({index}, {kind}, {name}, {length}, false);" if p.kind in HANDLES else f"C.numbers({index}, {name}, {length});"
        return with_sentinels(p, index, line)
    if p.kind in HANDLES:
        if p.is_written:
            return [f"if ({p.name}) C.handle({index}, {kind}, *{p.name}, false);"]
        return [f"C.handle({index}, {kind}, {p.name}, false);"]
    return [f"C.number({index}, {p.name});"]


def copy_after(f: Function, p: Param, index: int) -> list[str]:
    kind = f"Kind::{trace_kind(p)}"
    valid = "Ok && " + p.name + (f" && *{p.valid_if}" if p.valid_if else "")
    if p.kind == "status":
        if f.completes:
            return completed_statuses(f, p, index)
        if p.is_array:
            return []
        return [f"if (Ok{f' && *{p.valid_if}' if p.valid_if else ''}) C.status({index}, {p.name}, {'true' if any(q.kind == 'request' for q in f.params) else 'false'});"]
    if p.kind == "request":
        return [f"if ({valid}) C.request({index}, *{p.name}, true);"]
    if p.kind in STRINGS:
        length = guarded_length(f, p) if p.length else None
        return [f"if ({valid}) C.string({index}, {p.name}, {length});"] if p.kind == "string" and length else []
    if p.kind in ("baseptr", "pointer"):
        return [f"if ({valid}) C.address({index}, *(void **){p.name});"]
    if p.is_array:
        length = guarded_length(f, p)
        if not length:
            return []
        line = f"C.handles({index}, {kind}, {p.name}, {length}, true);" if p.kind in HANDLES else f"C.numbers({index}, {p.name}, {length});"
        condition = f"Ok{f' && *{p.valid_if}' if p.valid_if else ''}"
        return [f"if ({condition}) {{", *with_sentinels(p, index, line), "}"]
    if p.kind in HANDLES:
        return [f"if ({valid}) C.handle({index}, {kind}, *{p.name}, true);"]
    if p.direction == "inout":
        return [f"if ({p.name}) C.number({index}, *{p.name});"]
    return [f"if ({valid}) C.number({index}, *{p.name});"]


def completed_statuses(f: Function, p: Param, index: int) -> list[str]:
    condition = "Ok"
    if f.completes_test and f.param("flag"):
        condition += " && *flag"
    match f.completes:
        case "one":
            return [f"if ({condition}) C.status({index}, {p.name}, true);"]
        case "any":
            return [f"if ({condition} && *index != MPI_UNDEFINED) C.status({index}, {p.name}, true);"]
        case "some":
            return [f"if ({condition} && *outcount != MPI_UNDEFINED) C.statuses({index}, {p.name}, *outcount);"]
    return [f"if ({condition}) C.statuses({index}, {p.name}, {c_expression(p.length, f, [])});"]
