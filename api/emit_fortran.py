"""Writes the MPI modules for a Fortran compiler that cannot read those of the installed MPI: `mpi` and, for MPICH,
`mpi_f08`. Sources only; whoever builds them compiles them with that compiler.

    python3 emit_fortran.py --output DIR --mpif FILE [--f08] -- COMPILER...

Constants are those of the installed mpif.h. Procedures are the library's mpi_send_ and so on: a handle of mpi_f08 is one
INTEGER, a status the same integers in the same order, so its arguments are passed on as they are. In the module mpi choice
buffers take anything (ignore_tkr); a section that is not contiguous is passed as a copy, as with mpif.h. In mpi_f08 they are
TYPE(*), DIMENSION(..), whose descriptors the library cannot read: code of our own (shims.cpp) hands on where the buffer lies,
and makes a datatype or a copy of a section (driver/cc/f08/Sections.h). It also fills in IERROR, which may be left out. It
jumps on, so that a call still comes from the program. Names of specific procedures with choice buffers are the standard's
(MPI_Send_f08ts), so that a program can have its own; forms with large counts call C.
"""

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from expressions import Name, names_in
from function import HANDLES, NUMBERS, STRINGS, Function, Param, Shape, TableError
from header import HeaderError, read_header
from model import load

KINDS = {"MPI_Aint": "MPI_ADDRESS_KIND", "MPI_Count": "MPI_COUNT_KIND", "MPI_Offset": "MPI_OFFSET_KIND"}
TYPES = {k: v for k, v in HANDLES.items() if not k.startswith("tool.")}
# Of what C's main has, Fortran passes nothing.
NO_ARGUMENTS = ("MPI_Init", "MPI_Init_thread", "MPI_Info_create_env")
SCALARS = {"MPI_UNWEIGHTED", "MPI_WEIGHTS_EMPTY"}
FUNCTIONS = ("MPI_Wtime", "MPI_Wtick")
CHOICE = ("buffer", "memory")
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
        large = self.f.is_large_form
        own = p.types[-large] if p.types else NUMBERS.get(p.kind, ("MPI_Aint",) * 2)[large]
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


def has_choice(f: Function) -> bool:
    return any(p.kind in CHOICE for p in f.params)


def specific_name(f: Function, profiling: bool = False) -> str:
    """Of the procedure behind a name of mpi_f08. With choice buffers and large counts those of MPICH; others are unlike the
    names of libraries for the same purpose, but for the last underscore."""
    name = f.name.lower().removesuffix("_c" if f.is_large_form else "")
    if not has_choice(f) and not f.is_large_form:
        return f"{'p' * profiling}{name}_f08_"
    return f"{'pmpir' if profiling else 'mpi'}{name.removeprefix('mpi')}_f08{'ts' * has_choice(f)}{'_large' * f.is_large_form}"


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


def names_of(shape: Shape) -> set[str]:
    return {*names_in(shape.count), shape.datatype}


class Shim:
    """The C++ of one specific procedure. A text's length follows the other arguments."""

    def __init__(self, function: Function, profiling: bool):
        self.f, self.profiling, self.symbol = function, profiling, specific_name(function, profiling) + "_"
        self.binding = Binding(function, True)
        texts = [p.name for p in self.binding.params if p.kind in STRINGS]
        self.arguments = [*self.binding.names(), *(f"length_{n}" for n in texts)]
        self.parts = [f"void *{n}" for n in self.binding.names()] + [f"size_t length_{n}" for n in texts]
        self.choices = [p for p in self.binding.params if p.kind in CHOICE]

    def lines(self) -> list[str]:
        if self.f.is_large_form:
            return self.large() if self.choices else []
        target = f"{'p' * self.profiling}{self.f.name.lower()}_"
        lines = [f"void {target}({', '.join(self.parts)}) __attribute__((weak));"]
        lines += self.far(target) if self.choices else []
        lines += [f"PILGRIM_SHIM void {self.symbol}({', '.join(self.parts)}) {{"]
        if self.choices:
            whole = " && ".join(f"section({p.name}).isWhole()" for p in self.choices)
            lines += [f"  if (!({whole})) [[unlikely]]", f"    return far_{self.symbol}({', '.join(self.arguments)});"]
        passed = {p.name: f"section({p.name}).Base" for p in self.choices}
        return [*lines, f"  {target}({self.passed(passed)});", "}"]

    def passed(self, instead: dict[str, str]) -> str:
        return ", ".join(instead.get(n, "ierror ? ierror : &Ignored" if n == "ierror" else n) for n in self.arguments)

    def lent(self) -> tuple[list[str], dict[str, str]]:
        """Code that lends every choice buffer, and what is passed instead of which argument."""
        over = next((p.name for p in self.f.params if p.kind == "comm"), None)
        comm = f"static_cast<MPI_Fint *>({over})" if over else "nullptr"
        lines = [f"  if (!section({self.choices[0].name}).isOurs())"]
        lines += [f"    return reinterpret_cast<decltype(&{self.symbol})>(foreignProcedure(\"{self.symbol}\"))({', '.join(self.arguments)});"]
        lines += [f"  FarCall Call(\"{self.f.name}\", {comm});"]
        instead = {}
        for p in self.choices:
            count, type_, how = self.way(p)
            own = f"readCount<{'MPI_Count' if self.f.is_large_form else 'MPI_Fint'}>({count})" if count else "0"
            typed = f"static_cast<MPI_Fint *>({type_})" if type_ else "nullptr"
            lines += [f"  Lent its_{p.name}(Call, section({p.name}), {own}, {typed}, {' | '.join(how) or 0});"]
            instead[p.name] = f"its_{p.name}.base()"
            if count:
                instead |= {count: f"its_{p.name}.smallCount()", type_: f"its_{p.name}.type()"}
        return lines, instead

    def way(self, p: Param) -> tuple[str | None, str | None, list[str]]:
        """Count and datatype that are of this buffer alone, and how a section may be passed."""
        f, shape = self.f, p.shape
        if not shape:
            return None, None, ["AsAddress"]
        goes_on = f.persistent or f.chapter == "rma" or f.name.removesuffix("_c").endswith("_begin")
        goes_on = goes_on or any(q.kind == "request" and q.direction == "out" for q in f.params)
        how = ["AsCopy"] + ["Written"] * p.is_written if p.kind == "buffer" and not goes_on else []
        count = f.param(shape.count.name) if isinstance(shape.count, Name) else None
        type_ = f.param(shape.datatype or "")
        if not count or not type_ or count.is_array or shape.displs or f.param("partitions"):
            return None, None, how
        # Of one count and datatype for two buffers (which reductions have) neither can be the section's.
        if any(q is not p and q.shape and {count.name, type_.name} & names_of(q.shape) for q in self.choices):
            return None, None, how
        return count.name, type_.name, ["AsType", *how]

    def far(self, target: str) -> list[str]:
        lent, instead = self.lent()
        head = f"[[gnu::cold, gnu::noinline]] static void far_{self.symbol}({', '.join(self.parts)}) {{"
        lines = [f"void {self.symbol}({', '.join(self.parts)});", head, *lent]
        lines += ["  if (Call.isFailed())", "    return Call.finish(0, ierror);"]
        return [*lines, f"  {target}({self.passed(instead)});", "}"]

    def large(self) -> list[str]:
        lent, instead = self.lent()
        values = []
        for p in self.f.params:
            values.append(self.value(p, instead.get(p.name, p.name)))
        lines = [f"PILGRIM_SHIM void {self.symbol}({', '.join(self.parts)});", f"void {self.symbol}({', '.join(self.parts)}) {{", *lent]
        lines += ["  if (Call.isFailed())", "    return Call.finish(0, ierror);"]
        return [*lines, f"  Call.finish({'P' * self.profiling}{self.f.name}({', '.join(values)}), ierror);", "}"]

    def value(self, p: Param, passed: str) -> str:
        """An argument as C has it. Handles of MPICH are integers, but for files."""
        if p.kind in CHOICE:
            return f"choiceAddress({passed})"
        if p.kind == "status":
            return f"statusAddress({passed})"
        if p.kind == "string":
            return f"CText({passed}, length_{passed})"
        if p.kind == "file":
            return f"PMPI_File_f2c(*static_cast<MPI_Fint *>({passed}))"
        if p.is_array or p.is_written:
            return f"reinterpret_cast<{p.c_type.replace('const ', '')}>({passed})"
        if passed.endswith(".smallCount()"):
            return passed.replace("smallCount", "count")
        if p.kind not in TYPES and p.kind not in NUMBERS:
            raise TableError(f"{p.place.file}:{p.place.line}: {self.f.name} has a large-count form, and emit_fortran.py does not know how to pass {p.name}")
        return f"*reinterpret_cast<{p.c_type} *>({passed})"


def emit_shims(functions: list[Function]) -> str:
    lines = ['#include "Sections.h"', "using namespace pilgrim::f08;", "static thread_local MPI_Fint Ignored;"]
    lines += ["#define PILGRIM_SHIM __attribute__((visibility(\"default\")))"]
    lines += ["static const Section &section(const void *P) { return *static_cast<const Section *>(P); }"]
    lines += ["template <typename T> static MPI_Count readCount(const void *P) { return *static_cast<const T *>(P); }", 'extern "C" {']
    for f in functions:
        for profiling in (False, True):
            lines += Shim(f, profiling).lines()
    return "\n".join([*lines, "}", ""])


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
