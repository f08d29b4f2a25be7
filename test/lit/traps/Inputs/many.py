#!/usr/bin/env python3
"""What tracing adds grows as what a program does, and no faster; memory as what is alive at the same time.

    many.py --pilgrim LIBPILGRIM --program PROGRAM THING N [--kb-each KB] [--trace-grows]

Runs `PROGRAM THING` with N and with 2 N, traced and not. The time that tracing adds may be 2.6 times as much with 2 N, the
trace 200 bytes larger (--trace-grows: twice as large), and the memory that it adds must be less than 4 MB and --kb-each
for each of the things. Of times the least of a few runs; exit code 1 if something is too much.
"""

import argparse
import os
import pathlib
import subprocess
import sys

TIMES = 2.6
BYTES = 200
MEMORY = 4096  # kB
RUNS = 2


class Runs:
    def __init__(self, options):
        self.options, self.trace = options, pathlib.Path("many.pilgrim")

    def run(self, number, traced):
        """Seconds until the end of MPI_Finalize, kB."""
        self.trace.unlink(missing_ok=True)
        environment = dict(os.environ)
        if traced:
            environment |= {"LD_PRELOAD": self.options.pilgrim, "PILGRIM_OUTPUT": str(self.trace)}
        done = subprocess.run([self.options.program, self.options.thing, str(number)], env=environment, check=True,
                              capture_output=True, text=True)  # fmt: skip
        seconds, kb = done.stdout.split()
        return float(seconds), int(kb)

    def added(self, number):
        """What tracing adds: seconds, kB; and bytes of the trace."""
        plain = [self.run(number, False) for _ in range(RUNS)]
        traced = [self.run(number, True) for _ in range(RUNS)]
        least = lambda runs, which: min(run[which] for run in runs)
        return (least(traced, 0) - least(plain, 0), least(traced, 1) - least(plain, 1), self.trace.stat().st_size)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pilgrim", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--kb-each", type=float, default=0)
    parser.add_argument("--trace-grows", action="store_true")
    parser.add_argument("thing")
    parser.add_argument("number", type=int)
    options = parser.parse_args()
    runs = Runs(options)
    # A shared machine may be slow now, and not a moment later.
    for _ in range(3):
        seconds, kb, size = runs.added(options.number)
        seconds2, kb2, size2 = runs.added(2 * options.number)
        isLinear = seconds2 < TIMES * seconds
        if isLinear:
            break
    print(f"{options.thing}: {options.number}: {seconds:.3f} s {kb} kB {size} bytes, {2 * options.number}: "
          f"{seconds2:.3f} s {kb2} kB {size2} bytes")  # fmt: skip
    problems = [] if isLinear else [f"time is {seconds2 / seconds:.1f} times as much"]
    if kb2 > MEMORY + options.kb_each * 2 * options.number:
        problems.append("memory")
    if size2 > (2 * size if options.trace_grows else size + BYTES):
        problems.append("the trace grows")
    for problem in problems:
        print(f"{options.thing}: too much: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
