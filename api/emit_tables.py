"""Generated descriptions: the table of real functions, FunctionInfo of each, and the exported entry points."""

import re

from function import STRINGS, Constants, Function, Param
from relations import exceptions, is_array, is_output, recorded, said_by_table, trace_kind

def has_matched(function: Function) -> bool:
    """Whether the call may complete a wildcard receive: then it has a hidden slot for what matched."""
    return bool(function.completes) or (function.wildcard and function.param("status") is not None)


def names_key(param: Param, constants: Constants) -> str | None:
    if param.flags or param.enum:
        return param.flags or param.enum
    if param.kind in constants.enums:
        return param.kind
    return param.kind if param.kind in constants.handles else None


def slot(param: Param, constants: Constants, said: list[tuple[str, int]]) -> str:
    layout = "Word"
    if param.kind in STRINGS:
        layout = "Text"
    elif param.is_array or param.kind == "status":
        layout = "Vector"
    key = names_key(param, constants)
    flags = ", ".join(
        "true" if value else "false"
        for value in (
            is_array(param),
            is_output(param),
            param.machine or param.kind in ("address", "pointer"),
            False,
            bool(param.flags),
        )
    )
    name = f'"{key}"' if key else "nullptr"
    columns = 4 if param.kind == "status" else 1
    relations = ", ".join(f"{{Relation::{what}, {number}}}" for what, number in said)
    relations = f", {{{relations}}}" if said else ""
    return f'{{"{param.name}", Kind::{trace_kind(param)}, Layout::{layout}, {columns}, {flags}, {name}{relations}}}'


def emit_functions(functions: list[Function], constants: Constants) -> str:
    """Without pointers but in the slots, of which each is there once (SlotList in core/FunctionInfo.h)."""
    table: dict[str, int] = {}
    numbers: list[int] = []
    rows, names, name_at = [], [], 0
    for f in functions:
        slots = ['{"", Kind::Error, Layout::Word, 1, false, true, false, false, false, "error"}']
        slots += [slot(p, constants, said) for p, said in zip(recorded(f), exceptions(f))]
        if has_matched(f):
            array = "true" if f.completes in ("all", "some") else "false"
            slots.append(f'{{"matched", Kind::Status, Layout::Vector, 4, {array}, true, false, true, false, nullptr}}')
        collective = "true" if f.collective else "false"
        rows.append(f"    {{{f.id}, {name_at}, {len(numbers)}, {len(slots)}, {collective}}},")
        numbers += [table.setdefault(s, len(table)) for s in slots]
        names.append(f'    "{f.name}\\0"')
        name_at += len(f.name) + 1
    lines = ['#include "pmpi/Functions.h"', "namespace pilgrim {", "const SlotInfo SlotTable[] = {"]
    lines += [*(f"    {s}," for s in table), "};", "const uint16_t SlotNumbers[] = {"]
    lines += [*(f"    {n}," for n in numbers), "};", "const char FunctionNames[] =", *names, "    ;"]
    lines += ["const FunctionRow FunctionRows[] = {", *rows, "};"]
    lines += ["const unsigned NumFunctions = sizeof FunctionRows / sizeof *FunctionRows;", "} // namespace pilgrim"]
    return "\n".join(lines) + "\n"


def emit_relations(functions: list[Function]) -> str:
    """What the table says of every slot: what readers of a trace have to find. For tests."""
    lines = ["// X(function, slot, count, datatype, displacements, factor, per, own, does, where, group, use)"]
    for f in functions:
        for at, s in enumerate(said_by_table(f).slots[1:], 1):
            numbers = f"{s.count}, {s.datatype}, {s.displs}, {s.factor}, {s.per}, {int(s.own)}"
            lines.append(f'X({f.id}, {at}, {numbers}, "{s.does or ""}", {s.where}, {s.group}, {s.use})')
    return "\n".join(lines) + "\n"


def emit_variables(text: str) -> str:
    """The header's variables behind pointers: libpilgrim is loaded into programs without MPI, too, and into those that
    load theirs later. Where MPI is there from the start, a weak reference finds the variable, else a look-up by name."""
    declarations = re.findall(r"^[^#\n]*\bextern\b[^;(){}]*;", text, re.M)
    names = {m[1] for d in declarations if (m := re.search(r"\b((?:MPI|mpi|ompi)\w+)\s*(?:\[\])?\s*;$", d))}
    lines = []
    for name in sorted(names):
        lines += [f"#pragma weak {name}", f"inline decltype(::{name}) *pilgrimAt_{name} = &::{name};"]
        lines.append(f"#define {name} (*pilgrimAt_{name})")
    lines += ["#define PILGRIM_VARIABLES(X) \\", *(f"  X({name}) \\" for name in sorted(names))]
    return "\n".join(lines) + "\n\n"


def emit_real(functions: list[Function]) -> str:
    """The real functions, by the types of the header's own declarations."""
    lines = ["// Included in pmpi/Real.h.", "struct RealFunctions {"]
    lines += [f"  decltype(&::{f.name}) {f.name};" for f in functions]
    lines.append("};")
    lines.append("#define PILGRIM_REAL_FUNCTIONS(X) \\")
    lines += [f"  X({f.name}) \\" for f in functions]
    return "\n".join(lines) + "\n\n"


def emit_entries(functions: list[Function]) -> str:
    """Exported symbols are jumps through a table. So an inactive tracer forwards to whatever MPI is there without
    knowing its types, and a wrapper sees the return address of the program's own call."""
    lines = ['#include "pmpi/Entries.h"', "namespace pilgrim {", "extern \"C\" {"]
    lines += [f"void __pilgrim_{form}_{f.name}();" for f in functions for form in ("traced", "untimed")]
    lines += ["}", 'EntryPoint EntryPoints[] = {']
    for f in functions:
        target = f"__pilgrim_traced_{f.name}"
        lines.append(f"    {{{target}, {target}, {target}, __pilgrim_untimed_{f.name}, nullptr, nullptr}},")
    lines += ["};", "const unsigned NumEntries = sizeof EntryPoints / sizeof *EntryPoints;", "} // namespace pilgrim", ""]
    lines += [f'PILGRIM_ENTRY("{f.name}", "{index}", "0")' for index, f in enumerate(functions)]
    lines.append("#if !defined(PILGRIM_VIRTUAL)  // virtual ranks: the MPI is in the same program")
    lines += [f'PILGRIM_ENTRY("P{f.name}", "{index}", "8")' for index, f in enumerate(functions)]
    lines.append("#endif")
    return "\n".join(lines) + "\n"


# Of the Fortran bindings: what stands for "MPI" and behind the name (mpif.h and mpi; mpi_f08 with and without choice
# buffers). What the standard calls PMPI_ has other names in the mpi_f08 of MPICH.
F08_SUFFIXES = ("_f08_", "_f08ts_", "_f08_large_", "_f08ts_large_")


def fortran_forms(is_open_mpi: bool) -> list[tuple[str, str]]:
    profiling = "pmpi" if is_open_mpi else "pmpir"
    return [(prefix, "_") for prefix in ("mpi", "pmpi")] + [(p, s) for p in ("mpi", profiling) for s in F08_SUFFIXES]


def emit_fortran(functions: list[Function], is_open_mpi: bool) -> str:
    """The symbols of the Fortran bindings: each notes where it was called from, and its number, and goes on to the MPI
    library's binding, which makes the C call that is recorded. A symbol's number is that of its function's row, times
    the forms there are, plus its form."""
    forms = fortran_forms(is_open_mpi)
    symbols = {
        row * len(forms) + form: f"{prefix}{f.name.lower().removeprefix('mpi')}{suffix}"
        for row, f in enumerate(functions)
        for form, (prefix, suffix) in enumerate(forms)
        if not f.is_large_form
    }
    lines = ['#include "pmpi/Fortran.h"', "#if defined(__x86_64__)", "namespace pilgrim {"]
    lines += ["const FortranForm FortranForms[] = {", *(f'    {{"{p}", "{s}"}},' for p, s in forms), "};"]
    lines += [f'extern "C" {{ FortranTarget __pilgrim_fortran_targets[{len(functions) * len(forms)}] = {{}}; }}']
    lines += ["} // namespace pilgrim"]
    lines += [f'PILGRIM_FORTRAN_ENTRY("{s}", "{i}")' for i, s in symbols.items()]
    return "\n".join([*lines, "#endif"]) + "\n"
