"""How a function of the table is called in Fortran: the dummy arguments of its procedure, and the names of specific procedures."""

import re

from function import HANDLES, NUMBERS, STRINGS, Function, Param

KINDS = {"MPI_Aint": "MPI_ADDRESS_KIND", "MPI_Count": "MPI_COUNT_KIND", "MPI_Offset": "MPI_OFFSET_KIND"}
TYPES = {k: v for k, v in HANDLES.items() if not k.startswith("tool.")}
# Of what C's main has, Fortran passes nothing.
NO_ARGUMENTS = ("MPI_Init", "MPI_Init_thread", "MPI_Info_create_env")
SCALARS = {"MPI_UNWEIGHTED", "MPI_WEIGHTS_EMPTY"}
CHOICE = ("buffer", "memory")


class Binding:
    """A procedure's dummy arguments, in the module mpi or, with types for handles, in mpi_f08."""

    def __init__(self, function: Function, f08: bool):
        self.f, self.f08 = function, f08
        dropped = ("argc", "argv") if function.name in NO_ARGUMENTS else ()
        self.params = [p for p in function.params if p.name not in dropped and p.kind != "varargs"]
        self.returns_error = function.name != "MPI_Pcontrol"
        self.imports: set[str] = set()

    def names(self) -> list[str]:
        return [p.name for p in self.params] + ["ierror"] * self.returns_error

    def lines(self, name: str) -> list[str]:
        declared = [line for p in self.params for line in self.declare(p)]
        if self.returns_error:
            declared.append("integer, optional :: ierror" if self.f08 else "integer :: ierror")
        imports = [f"import :: {', '.join(sorted(self.imports))}"] if self.imports else []
        body = [f"subroutine {name}({', '.join(self.names())})", *[f"  {x}" for x in imports + declared]]
        return [f"    {line}" for line in [*body, f"end subroutine {name}"]]

    def declare(self, p: Param) -> list[str]:
        if self.f08 and p.kind in CHOICE:
            return [f"type(*), dimension(..) :: {p.name}"]
        if p.kind in (*CHOICE, "baseptr"):
            return [f"integer :: {p.name}(*)", f"!dir$ ignore_tkr(tkrc) {p.name}"]
        if p.kind == "function":
            return [f"external :: {p.name}"]
        if p.kind == "string":
            return [f"character(len=*) :: {p.name}"]
        if p.kind == "strings":
            return [f"character(len=*) :: {p.name}(*)"]
        if p.kind == "stringss":
            return [f"character(len=*) :: {p.name}(count, *)"]
        type_, rows = self.type_of(p)
        array = p.is_array
        if p.kind == "status" and not self.f08:
            self.imports.add("MPI_STATUS_SIZE")
            return [f"integer :: {p.name}(MPI_STATUS_SIZE{', *' if array else ''})", f"!dir$ ignore_tkr(c) {p.name}"]
        shape = f"({rows}, *)" if rows else "(*)" if array else ""
        # Some of what stands for an array is none; and without mpi_f08 programs rely on nobody looking at ranks: they pass a
        # 0 for arrays that a call ignores, and for arrays the first of some elements, of any array (c).
        ignored = "r" * (not self.f08 or bool(set(p.sentinels) & SCALARS)) + "c" * (array and not self.f08)
        return [f"{type_} :: {p.name}{shape}", *([f"!dir$ ignore_tkr({ignored}) {p.name}"] if ignored else [])]

    def type_of(self, p: Param) -> tuple[str, str]:
        if p.kind == "flag":
            return "logical", ""
        if p.kind in TYPES or p.kind == "status":
            name = TYPES.get(p.kind, "MPI_Status")
            if not self.f08:
                return "integer", ""
            self.imports.add(name)
            return f"type({name})", ""
        large = self.f.is_large_form
        own = p.types[-large] if p.types else NUMBERS.get(p.kind, ("MPI_Aint",) * 2)[large]
        if match := re.fullmatch(r"int\[(\d+)\]", own):
            return "integer", match[1]
        # What MPI-1 called an address is an INTEGER.
        if own not in KINDS or self.f.chapter == "deprecated":
            return "integer", ""
        self.imports.add(KINDS[own])
        return f"integer({KINDS[own]})", ""


def has_choice(f: Function) -> bool:
    return any(p.kind in CHOICE for p in f.params)


def specific_name(f: Function, profiling: bool = False) -> str:
    """Of the procedure behind a name of mpi_f08. With choice buffers and large counts those of MPICH; others are unlike the
    names of libraries for the same purpose, but for the last underscore."""
    name = f.name.lower().removesuffix("_c" if f.is_large_form else "")
    if not has_choice(f) and not f.is_large_form:
        return f"{'p' * profiling}{name}_f08_"
    return f"{'pmpir' if profiling else 'mpi'}{name.removeprefix('mpi')}_f08{'ts' * has_choice(f)}{'_large' * f.is_large_form}"
