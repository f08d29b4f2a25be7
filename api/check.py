#!/usr/bin/env python3
"""Checks the function table against an installed mpi.h: every function is in the table or has a reason not to be, and
every C type is the one that the table leads to. One line for each disagreement; exit code 1 if there is one.

--facts compares names, order and directions of parameters with a list of facts of the standard. It is meant for a
person's eyes and never fails: the table departs from the list where recording needs it.
"""

import argparse
import shlex
import sys
from fnmatch import fnmatchcase
from pathlib import Path

from expressions import names_in
from function import STRINGS, Function, TableError
from header import Header, HeaderError, read_header
from model import Table, load

DIRECTORY = Path(__file__).parent / "mpi"


def read_untraced(path: Path) -> dict[str, str]:
    """Patterns of names that are not traced, with the reason."""
    untraced = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.split("#", 1)[0].split(None, 1)
        if len(words) == 1:
            raise TableError(f"{path}:{number}: no reason for {words[0]}; accepted: NAME REASON")
        if words:
            untraced[words[0]] = words[1]
    return untraced


def compare_types(function: Function, header: Header) -> list[str]:
    prototype = header.prototypes[function.name]
    problems = []
    if prototype.result != "int":
        problems.append(f"{function.name}: returns {prototype.result} in mpi.h, int in the table")
    if len(prototype.arguments) != len(function.params):
        names = " ".join(param.name for param in function.params)
        numbers = f"{len(prototype.arguments)} parameters in mpi.h, {len(function.params)} in the table"
        return [*problems, f"{function.name}: {numbers} ({names})"]
    for number, (param, argument) in enumerate(zip(function.params, prototype.arguments), 1):
        where = f"{function.name}: parameter {number}, {param.name}"
        expected, found = param.c_type.removeprefix("const "), argument.type.removeprefix("const ")
        if param.kind == "function":  # a parameter of function type is a pointer to it
            expected, found = expected.rstrip("*"), found.rstrip("*")
        if expected != found:
            problems.append(f"{where}: {argument.type} in mpi.h, {param.c_type} in the table")
        elif argument.type.startswith("const ") and param.is_written:
            problems.append(f"{where}: const in mpi.h, {param.direction} in the table")
        elif argument.is_array and not param.is_array and param.kind not in STRINGS:
            problems.append(f"{where}: an array in mpi.h, not in the table")
    return problems


def compare_constants(function: Function, header: Header) -> list[str]:
    """Constants in lengths and contents, which generated code is going to name."""
    named = []
    for param in function.params:
        named += names_in(param.length) if param.length else []
        named += [*names_in(param.shape.count), param.shape.datatype or ""] if param.shape else []
    missing = sorted({name for name in named if name.startswith("MPI_") and not header.has(name)})
    return [f"{function.name}: {name} is in the table, not in mpi.h" for name in missing]


def compare_header(table: Table, header: Header, untraced: dict[str, str]) -> list[str]:
    known = {function.name: function for function in table.functions}
    problems = []
    for name in sorted(header.prototypes):
        if name in known:
            problems += compare_types(known[name], header) + compare_constants(known[name], header)
        elif name.startswith("MPI") and not any(fnmatchcase(name, pattern) for pattern in untraced):
            problems.append(f"{name}: in mpi.h, but neither in the table nor in untraced.txt")
    return problems


def compare_facts(table: Table, facts: Path, untraced: dict[str, str]) -> list[str]:
    known = {function.name: function for function in table.declared}
    notes = []
    for line in facts.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        name, *fields = line.split("\t")
        if any(fnmatchcase(name, pattern) for pattern in untraced):
            continue
        if name not in known:
            notes.append(f"{name}: not in the table")
            continue
        function = known[name]
        stated = [field.split(":") for field in fields if field and not field.startswith(".return")]
        names, own = [field[0] for field in stated], [param.name for param in function.params]
        if names != own:
            notes.append(f"{name}: ({' '.join(own)}) in the table, ({' '.join(names)}) in the facts")
            continue
        for field, param in zip(stated, function.params):
            if field[2] != param.direction:
                notes.append(f"{name}: {param.name} is {param.direction} in the table, {field[2]} in the facts")
        if any(field[1].startswith("poly") for field in stated) != function.large:
            notes.append(f"{name}: large-count form {'only in the table' if function.large else 'only in the facts'}")
    return notes


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--cc", default="mpicc", help="C compiler command that finds mpi.h (default: %(default)s)")
    parser.add_argument("--include", action="append", default=[], metavar="DIR", help="further include directory")
    parser.add_argument("--facts", type=Path, help="facts of the standard to compare with, for reading")
    options = parser.parse_args(arguments)
    try:
        table = load(DIRECTORY)
        untraced = read_untraced(DIRECTORY / "untraced.txt")
        header = read_header([*shlex.split(options.cc), *(f"-I{directory}" for directory in options.include)])
    except (TableError, HeaderError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    problems = compare_header(table, header, untraced)
    for problem in problems:
        print(problem)
    if options.facts:
        for note in compare_facts(table, options.facts, untraced):
            print("facts: " + note)
    present = sum(function.name in header.prototypes for function in table.functions)
    missing = len(table.constants.all_names() - header.names)
    print(
        f"api/mpi: {len(table.declared)} functions, {len(table.functions)} with large-count forms; mpi.h has {present} "
        f"of them and lacks {missing} of {len(table.constants.all_names())} constants; {len(problems)} disagreements"
    )
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
