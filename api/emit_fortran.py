"""Writes the MPI modules for a Fortran compiler that cannot read those of the installed MPI: `mpi` and, for MPICH,
`mpi_f08`. Sources only; whoever builds them compiles them with that compiler.

    python3 emit_fortran.py --output DIR --mpif FILE [--f08] -- COMPILER...

Constants are those of the installed mpif.h. Procedures are the library's mpi_send_ and so on: a handle of mpi_f08 is one
INTEGER, a status the same integers in the same order, so its arguments are passed on as they are. Only IERROR, which may
be left out there, needs code of our own (shims.c): it jumps on, so that a call still comes from the program. Choice
buffers take anything (ignore_tkr); a section that is not contiguous is passed as a copy, as with mpif.h.
"""

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from function import HANDLES, NUMBERS, STRINGS, Function, Param, TableError
from header import HeaderError, read_header
from model import load

KINDS = {"MPI_Aint": "MPI_ADDRESS_KIND", "MPI_Count": "MPI_COUNT_KIND", "MPI_Offset": "MPI_OFFSET_KIND"}
TYPES = {k: v for k, v in HANDLES.items() if not k.startswith("tool.")}
# Of what C's main has, Fortran passes nothing.
NO_ARGUMENTS = ("MPI_Init", "MPI_Init_thread", "MPI_Info_create_env")
SCALARS = {"MPI_UNWEIGHTED", "MPI_WEIGHTS_EMPTY"}
FUNCTIONS = ("MPI_Wtime", "MPI_Wtick")
# Callbacks of mpi_f08: name, and arguments as NAME:TYPE, where T is the handle.
C_PTR, ADDRESS = "type(c_ptr), value", "integer(MPI_ADDRESS_KIND)"
CALLBACKS = {
    "MPI_User_function": f"invec:{C_PTR} inoutvec:{C_PTR} len:integer datatype:type(MPI_Datatype)",
    "MPI_Grequest_query_function": f"extra_state:{ADDRESS} status:type(MPI_Status) ierror:integer",
    "MPI_Grequest_free_function": f"extra_state:{ADDRESS} ierror:integer",
    "MPI_Grequest_cancel_function": f"extra_state:{ADDRESS} complete:logical ierror:integer",
    **{
        f"MPI_{k}_copy_attr_function": f"old{k}:type(MPI_{t}) keyval:integer extra_state:{ADDRESS} "
        f"attribute_val_in:{ADDRESS} attribute_val_out:{ADDRESS} flag:logical ierror:integer"
        for k, t in (("Comm", "Comm"), ("Type", "Datatype"), ("Win", "Win"))
    },
    **{
        f"MPI_{k}_delete_attr_function": f"handle:type(MPI_{t}) keyval:integer attribute_val:{ADDRESS} "
        f"extra_state:{ADDRESS} ierror:integer"
        for k, t in (("Comm", "Comm"), ("Type", "Datatype"), ("Win", "Win"))
    },
    **{
        f"MPI_{k}_errhandler_function": f"handle:type(MPI_{k}) error_code:integer"
        for k in ("Comm", "Win", "File", "Session")
    },
}


@dataclass
class Mpif:
    """What mpif.h declares."""

    parameters: dict[str, str]
    others: list[str]  # variables with a meaning, and predefined callbacks


def read_mpif(path: Path) -> Mpif:
    text = path.read_text()
    parameters: dict[str, str] = {}
    for group in re.findall(r"^\s*PARAMETER\s*\((.*)\)\s*$", text, re.I | re.M):
        parameters |= {n.strip(): v.strip(" ()") for n, v in (pair.split("=") for pair in group.split(","))}
    others = ["MPI_BOTTOM", "MPI_IN_PLACE", "MPI_UNWEIGHTED", "MPI_WEIGHTS_EMPTY", "MPI_ERRCODES_IGNORE"]
    others += ["MPI_ARGV_NULL", "MPI_ARGVS_NULL"]
    for names in re.findall(r"^\s*EXTERNAL\s+(.*)$", text, re.I | re.M):
        others += [n.strip() for n in names.split(",") if n.strip().startswith("MPI_")]
    return Mpif(parameters, [n for n in others if n not in parameters])


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
        if p.kind in ("buffer", "memory", "baseptr"):
            return [f"integer :: {p.name}(*)", f"!dir$ ignore_tkr {p.name}"]
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
            return [f"integer :: {p.name}(MPI_STATUS_SIZE{', *' if array else ''})"]
        shape = f"({rows}, *)" if rows else "(*)" if array else ""
        # Some of what stands for an array is none; and without mpi_f08 programs rely on nobody looking at ranks: they pass a
        # 0 for arrays that a call ignores.
        any_rank = [f"!dir$ ignore_tkr(r) {p.name}"] if not self.f08 or set(p.sentinels) & SCALARS else []
        return [f"{type_} :: {p.name}{shape}", *any_rank]

    def type_of(self, p: Param) -> tuple[str, str]:
        if p.kind == "flag":
            return "logical", ""
        if p.kind in TYPES or p.kind == "status":
            name = TYPES.get(p.kind, "MPI_Status")
            if not self.f08:
                return "integer", ""
            self.imports.add(name)
            return f"type({name})", ""
        own = p.types[0] if p.types else NUMBERS.get(p.kind, ("MPI_Aint",))[0]
        if match := re.fullmatch(r"int\[(\d+)\]", own):
            return "integer", match[1]
        # What MPI-1 called an address is an INTEGER.
        if own not in KINDS or self.f.chapter == "deprecated":
            return "integer", ""
        self.imports.add(KINDS[own])
        return f"integer({KINDS[own]})", ""


def emit_types(mpif: Mpif, f08: bool) -> str:
    lines = ["module pilgrim_mpif", "  include 'mpif.h'", "end module pilgrim_mpif", ""]
    if not f08:
        return "\n".join(lines)
    types = list(TYPES.values())
    lines += ["module pilgrim_mpi_types", "  implicit none", "  private"]
    lines += [f"  public :: {', '.join([*types, 'MPI_Status'])}, operator(==), operator(/=)"]
    for name in types:
        lines += [f"  type, bind(C) :: {name}", "    integer :: MPI_VAL", f"  end type {name}"]
    at = {int(mpif.parameters[n]): n for n in ("MPI_SOURCE", "MPI_TAG", "MPI_ERROR")}
    fields = [at.get(i, f"internal_{i}") for i in range(1, int(mpif.parameters["MPI_STATUS_SIZE"]) + 1)]
    lines += ["  type, bind(C) :: MPI_Status", f"    integer :: {', '.join(fields)}", "  end type MPI_Status"]
    operators = (("==", "same"), ("/=", "different"))
    for operator, verb in operators:
        procedures = [f"    module procedure {verb}_{n}" for n in types]
        lines += [f"  interface operator({operator})", *procedures, "  end interface"]
    lines += ["contains"]
    for operator, verb in operators:
        for n in types:
            lines += [f"  elemental logical function {verb}_{n}(a, b)", f"    type({n}), intent(in) :: a, b"]
            lines += [f"    {verb}_{n} = a%MPI_VAL {operator} b%MPI_VAL", "  end function"]
    return "\n".join([*lines, "end module pilgrim_mpi_types", ""])


# Bytes of intrinsic types. Of type(*) Fortran does not say them.
SIZES = {"integer": (1, 2, 4, 8, 16), "real": (4, 8, 10, 16), "complex": (4, 8, 10, 16), "logical": (1, 2, 4, 8), "character": (1,)}


def emit_sizeof() -> str:
    kinds = [(type_, kind) for type_, kinds in SIZES.items() for kind in kinds]
    lines = ["module pilgrim_mpi_sizeof", "  implicit none", "  private", "  public :: MPI_Sizeof", "  interface MPI_Sizeof"]
    lines += [f"    module procedure sizeof_{type_}{kind}" for type_, kind in kinds]
    lines += ["  end interface", "contains"]
    for type_, kind in kinds:
        lines += [f"  subroutine sizeof_{type_}{kind}(x, size, ierror)", f"    {type_}(kind={kind}) :: x"]
        lines += ["    !dir$ ignore_tkr(r) x", "    integer :: size", "    integer, optional :: ierror"]
        lines += ["    size = storage_size(x) / 8", "    if (present(ierror)) ierror = 0", "  end subroutine"]
    return "\n".join([*lines, "end module pilgrim_mpi_sizeof", ""])


# Functions that are not in the table, since they are not traced.
UNTRACED = """\
    integer(MPI_ADDRESS_KIND) function MPI_Aint_add(base, disp)
      import :: MPI_ADDRESS_KIND
      integer(MPI_ADDRESS_KIND) :: base, disp
    end function MPI_Aint_add
    integer(MPI_ADDRESS_KIND) function MPI_Aint_diff(addr1, addr2)
      import :: MPI_ADDRESS_KIND
      integer(MPI_ADDRESS_KIND) :: addr1, addr2
    end function MPI_Aint_diff
    subroutine MPI_F_sync_reg(buf)
      integer :: buf(*)
      !dir$ ignore_tkr buf
    end subroutine MPI_F_sync_reg
"""


def emit_mpi(functions: list[Function], f08: bool) -> str:
    lines = ["module mpi", "  use pilgrim_mpif", "  use pilgrim_mpi_sizeof"]
    lines += ["  use pilgrim_mpi_types"] if f08 else []
    lines += ["  implicit none", "  interface"]
    for f in functions:
        lines += Binding(f, False).lines(f.name)
    return "\n".join([*lines, UNTRACED.rstrip(), "  end interface", "end module mpi", ""])


def shim_name(f: Function) -> str:
    """Unlike the names of libraries for the same purpose, but for the last underscore."""
    return f"{f.name.lower()}_f08_"


def emit_f08(functions: list[Function], mpif: Mpif, handles: dict[str, str]) -> str:
    """handles: the type of each predefined handle."""
    own = {n: t for n, t in handles.items() if n in mpif.parameters}
    plain = [n for n in mpif.parameters if n not in own] + mpif.others
    lines = ["module mpi_f08", "  use pilgrim_mpi_types", "  use pilgrim_mpi_sizeof", "  use, intrinsic :: iso_c_binding, only: c_ptr"]
    lines += [f"  use pilgrim_mpif, only: {n}" for n in plain]
    lines += [f"  use pilgrim_mpif, only: value_{n} => {n}" for n in own]
    lines += ["  implicit none"] + [f"  private :: value_{n}" for n in own] + ["  private :: c_ptr"]
    lines += [f"  type({t}), parameter :: {n} = {t}(value_{n})" for n, t in own.items()]
    # The places that the library knows, as statuses.
    lines += ["  integer, private :: place_1, place_2", "  type(MPI_Status) :: MPI_STATUS_IGNORE"]
    lines += ["  common /MPIPRIV1/ place_1, place_2, MPI_STATUS_IGNORE"]
    lines += ["  integer, private :: place_3(1)", "  type(MPI_Status) :: MPI_STATUSES_IGNORE(1)"]
    lines += ["  common /MPIPRIV2/ MPI_STATUSES_IGNORE, place_3", "  save /MPIPRIV1/, /MPIPRIV2/"]
    lines += ["  abstract interface"]
    for name, arguments in CALLBACKS.items():
        pairs = [pair.split(":", 1) for pair in re.split(r" (?=\w+:)", arguments)]
        lines += [f"    subroutine {name}({', '.join(n for n, _ in pairs)})"]
        wanted = sorted(set(re.findall(r"MPI_\w+|c_ptr", arguments)))
        lines += [f"      import :: {', '.join(wanted)}"] + [f"      {t} :: {n}" for n, t in pairs]
        lines += [f"    end subroutine {name}"]
    lines += ["  end interface", "  interface", UNTRACED.rstrip(), "  end interface"]
    for f in functions:
        lines += [f"  interface {f.name}", *Binding(f, True).lines(shim_name(f)), f"  end interface {f.name}"]
    return "\n".join([*lines, STATUS_CONVERSIONS, "end module mpi_f08", ""])


STATUS_CONVERSIONS = """\
contains
  subroutine MPI_Status_f2f08(f_status, f08_status, ierror)
    integer, intent(in) :: f_status(MPI_STATUS_SIZE)
    type(MPI_Status), intent(out) :: f08_status
    integer, optional, intent(out) :: ierror
    f08_status = transfer(f_status, f08_status)
    if (present(ierror)) ierror = MPI_SUCCESS
  end subroutine MPI_Status_f2f08
  subroutine MPI_Status_f082f(f08_status, f_status, ierror)
    type(MPI_Status), intent(in) :: f08_status
    integer, intent(out) :: f_status(MPI_STATUS_SIZE)
    integer, optional, intent(out) :: ierror
    f_status = transfer(f08_status, f_status)
    if (present(ierror)) ierror = MPI_SUCCESS
  end subroutine MPI_Status_f082f"""


def emit_shims(functions: list[Function]) -> str:
    """A text's length follows the other arguments."""
    lines = ["#include <stddef.h>", "static __thread int Ignored;"]
    for f in functions:
        b = Binding(f, True)
        texts = [p.name for p in b.params if p.kind in STRINGS]
        parts = [*(f"void *{n}" for n in b.names()), *(f"size_t length_{n}" for n in texts)]
        passed = ["ierror ? ierror : &Ignored" if n == "ierror" else n for n in b.names()]
        target = f"{f.name.lower()}_"
        lines += [f"extern void {target}({', '.join(parts)}) __attribute__((weak));"]
        lines += [f"void {shim_name(f)}_({', '.join(parts)}) {{"]
        lines += [f"  {target}({', '.join(passed + [f'length_{n}' for n in texts])});", "}"]
    return "\n".join([*lines, ""])


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--mpif", type=Path, required=True)
    parser.add_argument("--f08", action="store_true")
    parser.add_argument("compiler", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    table = load(Path(__file__).parent / "mpi")
    header = read_header([word for word in options.compiler if word != "--"])
    functions = [f for f in table.functions if not f.is_large_form and not f.name.startswith("MPI_T_")]
    functions = [f for f in functions if f.name in header.prototypes and f.name not in FUNCTIONS]
    mpif = read_mpif(options.mpif)
    handles = {n: TYPES[k] for k, names in table.constants.handles.items() if k in TYPES for n in names}
    options.output.mkdir(parents=True, exist_ok=True)
    texts = {"mpi.f90": "\n".join((emit_types(mpif, options.f08), emit_sizeof(), emit_mpi(functions, options.f08)))}
    if options.f08:
        new = [f for f in functions if f.chapter != "deprecated"]
        texts |= {"mpi_f08.f90": emit_f08(new, mpif, handles), "shims.c": emit_shims(new)}
    for name, text in texts.items():
        comment = "//" if name.endswith(".c") else "!"
        (options.output / name).write_text(f"{comment} Generated from api/ by emit_fortran.py; do not edit.\n{text}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (TableError, HeaderError) as error:
        print(f"emit_fortran.py: {error}", file=sys.stderr)
        sys.exit(1)
