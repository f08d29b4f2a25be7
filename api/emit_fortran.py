"""Writes the MPI modules for a Fortran compiler that cannot read those of the installed MPI: `mpi` and, for MPICH,
`mpi_f08`. Sources only; whoever builds them compiles them with that compiler.

    python3 emit_fortran.py --output DIR --mpif FILE [--f08] -- COMPILER...

Constants are those of the installed mpif.h. Procedures are the library's mpi_send_ and so on: a handle of mpi_f08 is one
INTEGER, a status the same integers in the same order, so its arguments are passed on as they are. In the module mpi choice
buffers take anything (ignore_tkr), elements of any array too; a section that is not contiguous is passed as a copy, as with
mpif.h. In mpi_f08 they are TYPE(*), DIMENSION(..), whose descriptors the library cannot read: code of our own (shims.cpp)
hands on where the buffer lies, and makes a datatype or a copy of a section (driver/cc/f08/Sections.h). It also fills in
IERROR, which may be left out. It jumps on, so that a call still comes from the program. Names of specific procedures with
choice buffers are the standard's (MPI_Send_f08ts), so that a program can have its own; forms with large counts call C.
"""

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from fortran_binding import TYPES, Binding, has_choice, specific_name
from fortran_shims import emit_shims
from function import Function, TableError
from header import HeaderError, read_header
from model import load

FUNCTIONS = ("MPI_Wtime", "MPI_Wtick")
# Forms of C that have none in Fortran: extra_state of its callbacks is another thing there.
NOT_IN_FORTRAN = ("MPI_Register_datarep_c",)
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
        others += [n.strip() for n in names.split(",") if n.strip().startswith(("MPI_", "PMPI_"))]
    return Mpif(parameters, [n for n in others if n not in parameters])


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
    subroutine MPI_F_sync_reg(buf) bind(C, name="pilgrim_sync_reg")
      type(*), dimension(..), asynchronous :: buf
    end subroutine MPI_F_sync_reg
"""


def emit_mpi(functions: list[Function], f08: bool) -> str:
    lines = ["module mpi", "  use pilgrim_mpif", "  use pilgrim_mpi_sizeof"]
    lines += ["  use pilgrim_mpi_types"] if f08 else []
    lines += ["  implicit none", "  interface"]
    for f in functions:
        lines += Binding(f, False).lines(f.name)
    return "\n".join([*lines, UNTRACED.rstrip(), "  end interface", "end module mpi", ""])


def generics(functions: list[Function], mpif: Mpif) -> dict[str, list[Function]]:
    """The forms behind each name. Fortran can tell them apart by the types of arguments alone; a large-count form that
    differs in none has a name of its own."""

    def kinds(f: Function) -> list[str]:
        lines = [line for p in f.params for line in Binding(f, True).declare(p)[:1]]
        return [re.sub(r"MPI_\w+_KIND", lambda m: mpif.parameters[m[0]], line) for line in lines]

    plain = {f.name: f for f in functions if not f.is_large_form}
    found: dict[str, list[Function]] = {}
    for f in functions:
        name = f.name
        if f.is_large_form and kinds(f) != kinds(plain[name.removesuffix("_c")]):
            name = name.removesuffix("_c")
        found.setdefault(name, []).append(f)
    return found


def emit_f08(functions: list[Function], mpif: Mpif, handles: dict[str, str]) -> str:
    """handles: the type of each predefined handle."""
    own = {n: t for n, t in handles.items() if n in mpif.parameters}
    plain = [n for n in mpif.parameters if n not in own and n != "MPI_SUBARRAYS_SUPPORTED"] + mpif.others
    lines = ["module mpi_f08", "  use pilgrim_mpi_types", "  use pilgrim_mpi_sizeof", "  use, intrinsic :: iso_c_binding, only: c_ptr"]
    lines += [f"  use pilgrim_mpif, only: {n}" for n in plain]
    lines += [f"  use pilgrim_mpif, only: value_{n} => {n}" for n in own]
    lines += ["  implicit none"] + [f"  private :: value_{n}" for n in own] + ["  private :: c_ptr"]
    lines += ["  logical, parameter :: MPI_SUBARRAYS_SUPPORTED = .true."]
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
    for name, forms in generics(functions, mpif).items():
        for profiling in (False, True):
            lines += [f"  interface {'P' * profiling}{name}"]
            lines += [line for f in forms for line in Binding(f, True).lines(specific_name(f, profiling))]
            lines += ["  end interface"]
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


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--mpif", type=Path, required=True)
    parser.add_argument("--f08", action="store_true")
    parser.add_argument("compiler", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    table = load(Path(__file__).parent / "mpi")
    header = read_header([word for word in options.compiler if word != "--"])
    functions = [f for f in table.functions if f.name not in NOT_IN_FORTRAN and not f.name.startswith("MPI_T_")]
    functions = [f for f in functions if f.name in header.prototypes and f.name not in FUNCTIONS]
    mpif = read_mpif(options.mpif)
    handles = {n: TYPES[k] for k, names in table.constants.handles.items() if k in TYPES for n in names}
    options.output.mkdir(parents=True, exist_ok=True)
    plain = [f for f in functions if not f.is_large_form]
    texts = {"mpi.f90": "\n".join((emit_types(mpif, options.f08), emit_sizeof(), emit_mpi(plain, options.f08)))}
    # For sources that define such procedures: Fortran lets none have its own name from a module as well.
    texts["mpi_own.f90"] = emit_mpi([f for f in plain if not has_choice(f)], options.f08)
    if options.f08:
        new = [f for f in functions if f.chapter != "deprecated"]
        texts |= {"mpi_f08.f90": emit_f08(new, mpif, handles), "shims.cpp": emit_shims(new)}
    for name, text in texts.items():
        comment = "//" if name.endswith(".cpp") else "!"
        (options.output / name).write_text(f"{comment} Generated from api/ by emit_fortran.py; do not edit.\n{text}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (TableError, HeaderError) as error:
        print(f"emit_fortran.py: {error}", file=sys.stderr)
        sys.exit(1)
