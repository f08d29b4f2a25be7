"""Writes the sources that follow from the function table and the installed mpi.h into the build folder.

    python3 generate.py --output DIR [--include DIR]... COMPILER...
    python3 generate.py --output DIR --names

Wrappers, one file a chapter; the table of real functions; descriptions of functions and constants; the entry points;
what makes calls again from a trace.
A function or constant that the header lacks is left out. With --names: the names of all functions, sorted, and nothing
else.
"""

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path

from emit_calls import emit_call_table, emit_calls
from emit_constants import emit_constants
from emit_tables import emit_entries, emit_fortran, emit_functions, emit_real, emit_relations, emit_variables
from emit_wrappers import emit_chapter
from function import Function, TableError
from header import Header, HeaderError, preprocessed, read_header
from model import load


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--list", action="store_true", help="print the names of the files and write nothing")
    parser.add_argument("--names", action="store_true", help="write function_names.inc alone")
    parser.add_argument("compiler", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    table = load(Path(__file__).parent / "mpi")
    chapters = sorted({f.chapter for f in table.declared})
    if options.list:
        names = [f"wrappers_{chapter}.cpp" for chapter in chapters]
        print(";".join(["variables.h", "real.h", "functions.cpp", "relations.def", "constants.cpp", "entries.cpp", "fortran.cpp", "calls.cpp", "call_table.cpp", *names]), end="")
        return 0
    if options.names:
        names = sorted(f.name for f in table.functions)
        write(options.output / "function_names.inc", "".join(f'"{name}",\n' for name in names))
        return 0
    compiler = [word for word in options.compiler if word != "--"]
    header = read_header(compiler)
    present = [f for f in table.functions if f.name in header.prototypes and "P" + f.name in header.prototypes]
    present = [with_header_types(f, header) for f in present]
    text = preprocessed(compiler)
    write(options.output / "variables.h", emit_variables(text))
    write(options.output / "real.h", emit_real(present))
    write(options.output / "functions.cpp", emit_functions(present, table.constants))
    write(options.output / "relations.def", emit_relations(present))
    write(options.output / "constants.cpp", emit_constants(table.constants, header))
    write(options.output / "entries.cpp", emit_entries(present))
    write(options.output / "fortran.cpp", emit_fortran(present, is_open_mpi="ompi_communicator_t" in text))
    write(options.output / "calls.cpp", emit_calls(present, header))
    write(options.output / "call_table.cpp", emit_call_table(table.functions))
    for chapter in chapters:
        functions = [f for f in present if f.chapter == chapter]
        write(options.output / f"wrappers_{chapter}.cpp", emit_chapter(functions))
    return 0


def with_header_types(f: Function, header: Header) -> Function:
    """The function with the header's own C types, which may lack a const."""
    types = (a.type for a in header.prototypes[f.name].arguments)
    return replace(f, params=tuple(replace(p, c_type=t) for p, t in zip(f.params, types)))


def write(path: Path, text: str) -> None:
    """Leaves a file alone that would not change, so that nothing is compiled again; never leaves half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = "// Generated from api/ by generate.py; do not edit.\n" + text
    temporary = path.with_suffix(path.suffix + ".new")
    temporary.write_text(new)
    os.replace(temporary, path)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (TableError, HeaderError) as error:
        print(f"generate.py: {error}", file=sys.stderr)
        sys.exit(1)
