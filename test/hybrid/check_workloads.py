#!/usr/bin/env python3
"""Every workload, built by pilgrim-cc and its kin, is traced as it runs, and as without structure; so is its proxy.

    check_workloads.py --bin DIR --sources DIR --mpiexec "COMMAND" --mpicc COMMAND --output DIR --ranks N
                       [--also N] [--part I/N] [--without-fortran]

Runs each under strict --verify with its markers and without (--mode dynamic). Both traces must have the same calls, the
one with markers has structure, is at most 1.2 times as large plus 2 kB, and the checker (test/checker) finds no fault in
it. The proxy made from it compiles without a warning, and the proxy's own trace equals it. Prints a table. --also runs
every fourth one with markers on another number of ranks, too. --part takes each Nth, from the Ith on.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "checker"))
import check_trace  # noqa: E402

COMPILERS = {".c": "pilgrim-cc", ".cpp": "pilgrim-cxx", ".f90": "pilgrim-fort"}
# What they do depends on who comes first, or on the number of the process.
UNSTEADY = {"masterworker", "polling", "io"}
# And these complete requests in an order that differs from run to run.
UNORDERED = {"masterworker", "polling"}


def run(command, **environment):
    command = [str(word) for word in command]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=os.environ | environment)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{environment} ends with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


class Checker:
    def __init__(self, options):
        self.options = options
        self.pilgrim = options.bin / "pilgrim"
        self.problems = []

    def mpirun(self, ranks, words, **environment):
        return run([*self.options.mpiexec.split(), "-n", ranks, *words], PILGRIM_TIMING="off", **environment)

    def build(self, source):
        program = self.options.output / source.stem
        run([self.options.bin / COMPILERS[source.suffix], "-O2", "-g", "-w", f"-I{self.options.sources}", source,
             "-o", program, "-lm"])  # fmt: skip
        return program

    def trace(self, program, way, ranks):
        trace = Path(f"{program}.{way}.pilgrim")
        done = self.mpirun(ranks, [program], PILGRIM_MODE=way.replace("also", "auto"), PILGRIM_VERIFY="strict",
                           PILGRIM_OUTPUT=str(trace))  # fmt: skip
        if "ranks agree" not in done.stderr:
            self.problems.append(f"{program.name}, {way}: {done.stderr}")
        return trace

    def structure(self, name, trace):
        if json.loads(run([self.pilgrim, "info", "--json", trace]).stdout)["regions"] == 0:
            self.problems.append(f"{name}: no structure")
        faults, left, _ = check_trace.check(trace)
        self.problems += [f"{name}: {line}" for line in (faults + left)[:5]]

    def proxy(self, program, trace):
        proxy, again = Path(f"{program}.proxy"), Path(f"{program}.again.pilgrim")
        run([self.pilgrim, "proxy", trace, "-o", f"{proxy}.c"])
        run([self.options.mpicc, "-O1", "-Wall", "-Wextra", "-Werror", "-o", proxy, f"{proxy}.c"])
        self.mpirun(self.options.ranks, [self.pilgrim, "run", "--quiet", "--output", again, proxy], PROXY_FILES="recorded")
        run([self.pilgrim, "diff", *["--relaxed"] * (program.name in UNORDERED), trace, again])
        again.unlink()

    def workload(self, source, also):
        program = self.build(source)
        auto = self.trace(program, "auto", self.options.ranks)
        dynamic = self.trace(program, "dynamic", self.options.ranks)
        traces = [auto, dynamic] + ([self.trace(program, "also", also)] if also else [])
        if program.name not in UNSTEADY:
            run([self.pilgrim, "diff", auto, dynamic])
        sizes = [trace.stat().st_size for trace in traces]
        if sizes[0] > 1.2 * sizes[1] + 2048:
            self.problems.append(f"{program.name}: {sizes[0]} bytes with structure, {sizes[1]} without")
        for trace in [auto, *traces[2:]]:
            self.structure(program.name, trace)
        self.proxy(program, auto)
        print(f"{program.name:16}" + "".join(f"{size:8}" for size in sizes))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--mpicc", required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--ranks", required=True)
    parser.add_argument("--also")
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--without-fortran", action="store_true")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    part, parts = (int(word) for word in options.part.split("/"))
    sources = [s for s in sorted(options.sources.iterdir())
               if s.suffix in COMPILERS and not (options.without_fortran and s.suffix == ".f90")][part - 1 :: parts]  # fmt: skip
    checker = Checker(options)
    for number, source in enumerate(sources):
        checker.workload(source, options.also if number % 4 == 0 else None)
    print("\n".join(checker.problems), end="")
    print(f"{len(sources)} workloads on {options.ranks} ranks, {len(checker.problems)} problems")
    return 1 if checker.problems or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
