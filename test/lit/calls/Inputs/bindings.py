#!/usr/bin/env python3
"""Every routine of MPI, by any of its names, goes through libpilgrim or has a reason not to.

    bindings.py --library LIBPILGRIM --mpicc MPICC --program PROGRAM --program PROGRAM...

The names are those that the MPI libraries define which the programs are linked with: C, mpif.h, mpi, mpi_f08. Those of
libpilgrim must be there too, and the functions that mpi.h declares with their profiling names. Reasons are those of
api/mpi/untraced.txt. Prints what is wrong, and how many names there are of each kind; exit code 1 if anything is.
"""

import argparse
import collections
import fnmatch
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "api"))

from check import read_untraced  # noqa: E402
from header import read_header  # noqa: E402
from model import load  # noqa: E402

FORTRAN = re.compile(r"(p?)mpir?_(\w*?[a-z0-9])(?:_f08(?:ts)?(?:_large)?)?_")


def lines(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def functions(library):
    """Names of a library's functions, with their addresses."""
    found = {}
    for line in lines("nm", "-D", "--defined-only", library):
        words = line.split()
        if len(words) == 3 and words[1] in "TWi":
            found[words[2].split("@")[0]] = words[0]
    return found


def libraries(programs):
    """The MPI libraries among those that programs need."""
    found = set()
    for program in programs:
        for line in lines("ldd", program):
            match = re.search(r"=> (/\S*/lib\w*mpi\w*\.so\S*)", line)
            if match and "pilgrim" not in match[1]:
                found.add(match[1])
    return sorted(found)


class Names:
    def __init__(self, table, header, untraced):
        self.table = {f.name.lower() for f in table.functions}
        self.declared = set(header.prototypes)
        self.extensions = {name.lower() for name in header.prototypes if name.startswith("MPIX_")}
        self.untraced = [pattern.lower() for pattern in untraced]

    def reason(self, name):
        """Why a function (in small letters, as in C) need not be traced, if there is a reason."""
        if name.startswith("mpix_") or name.replace("mpi_", "mpix_", 1) in self.extensions:
            return "an extension of one library"
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in self.untraced):
            return "api/mpi/untraced.txt"
        return None


def judge(name, library, ours, names):
    """What a library's name is, or None if it is no routine of MPI; and what is wrong with it."""
    if re.fullmatch(r"P?MPI_[A-Z](?=\w*[a-z])\w*|P?MPI_T_\w+", name):
        kind, function = "C", name.lstrip("P").lower()
    elif match := FORTRAN.fullmatch(name):
        kind = "mpi_f08" if "_f08" in name else "Fortran"
        function = f"mpi_{match[2]}"
        if name[len(match[1]) :].startswith("mpir_") and kind == "Fortran":
            return None, None
    elif re.fullmatch(r"P?MPI_\w+|p?mpi_\w+?_?_?|P?MPIX_\w+|p?mpix_\w+", name):
        # The same code under a name that other compilers give it: it is recorded, by the C function that it calls.
        usual = name.lower().rstrip("_") + "_"
        if library.get(usual) == library[name]:
            return "other spellings", None
        if names.reason(name.lower().rstrip("_").lstrip("p")):
            return "untraced", None
        return "C", f"{name}: unknown"
    else:
        return None, None
    if name in ours:
        return kind, None
    if names.reason(function):
        return "untraced", None
    return kind, f"{name}: " + ("not intercepted" if function in names.table else "not in the table")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", required=True)
    parser.add_argument("--mpicc", required=True)
    parser.add_argument("--program", action="append", required=True)
    options = parser.parse_args()
    table, header = load(ROOT / "api/mpi"), read_header([options.mpicc])
    names = Names(table, header, read_untraced(ROOT / "api/mpi/untraced.txt"))
    ours = functions(options.library)
    count, problems, defined = collections.Counter(), [], set()
    for path in libraries(options.program):
        library = functions(path)
        defined |= set(library)
        for name in sorted(library):
            kind, problem = judge(name, library, ours, names)
            if kind:
                count[kind] += 1
            problems += [problem] if problem else []
    for name in sorted(names.declared):
        plain = name.removeprefix("P")
        if plain.startswith("MPI_") and name not in ours and not names.reason(plain.lower()):
            problems.append(f"{name}: in mpi.h, and not intercepted")
        count["declared"] += plain.startswith("MPI_")
    # A name of ours that no library has would never be called.
    for name in sorted(ours):
        if re.match("P?MPI_", name) and name not in defined:
            problems.append(f"{name}: in {pathlib.Path(options.library).name}, and in no library of MPI")
    for problem in problems:
        print(problem)
    print(", ".join(f"{number} {kind}" for kind, number in sorted(count.items())) + f": {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
