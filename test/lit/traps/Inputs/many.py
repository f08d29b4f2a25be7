#!/usr/bin/env python3
"""What tracing adds grows as what a program does, and no faster; memory as what is alive at the same time.

    many.py --pilgrim LIBPILGRIM --program PROGRAM THING N [--kb-each KB] [--trace-grows]

Runs `PROGRAM THING` with N and with 4 N, traced and not. The time that tracing adds may be 9 times as much with 4 N (more
than 4, since what is in a cache with N is not with 4 N; if each thing looked at all others it would be 16), the trace 200
bytes larger (--trace-grows: 4 times as large), and the memory that it adds must be less than 5 MB and --kb-each for each of
the things. Of times the least of a few runs; exit code 1 if something is too much.
"""

import argparse
import os
import pathlib
import subprocess
import sys

MORE = 4
TIMES = 9
BYTES = 200
MEMORY = 5120  # kB; of 4,100, most are pages of libraries
TRIES = 6


class Runs:
    def __init__(self, options):
        self.options, self.trace, self.seen = options, pathlib.Path("many.pilgrim"), {}

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

    def more(self, number):
        """One more run of each sort."""
        for traced in (False, True):
            self.seen.setdefault((number, traced), []).append(self.run(number, traced))

    def added(self, number):
        """What tracing adds: seconds, kB."""
        return tuple(min(run[which] for run in self.seen[number, True]) - min(run[which] for run in self.seen[number, False])
                     for which in (0, 1))  # fmt: skip


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
    few, many = options.number, MORE * options.number
    # A shared machine may be slow now, and not a moment later.
    for _ in range(TRIES):
        runs.more(few)
        size = runs.trace.stat().st_size
        runs.more(many)
        size2 = runs.trace.stat().st_size
        (seconds, kb), (seconds2, kb2) = runs.added(few), runs.added(many)
        isLinear = seconds2 < TIMES * seconds
        if isLinear:
            break
    print(f"{options.thing}: {few}: {seconds:.3f} s {kb} kB {size} bytes, {many}: {seconds2:.3f} s {kb2} kB {size2} bytes")
    problems = [] if isLinear else [f"time is {seconds2 / seconds:.1f} times as much"]
    if kb2 > MEMORY + options.kb_each * many:
        problems.append("memory")
    if size2 > (MORE * size if options.trace_grows else size + BYTES):
        problems.append("the trace grows")
    for problem in problems:
        print(f"{options.thing}: too much: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
