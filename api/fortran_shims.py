"""The C++ of mpi_f08's specific procedures (shims.cpp): it hands on where a choice buffer lies, lends sections
(driver/cc/f08/Sections.h), and calls C for large counts."""

from expressions import Name, names_in
from fortran_binding import CHOICE, TYPES, Binding, specific_name
from function import NUMBERS, STRINGS, Function, Param, Shape, TableError


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
