#!/usr/bin/env python3
"""What tracing costs where nothing repeats.

Runs the modes of irregular/irregular.c untraced and traced and prints, for each, the
nanoseconds that tracing adds to a call, the memory that it adds to a rank, how
much of this came with the last nine tenths of the calls, the seconds that it
adds to MPI_Finalize, and the size of the trace: in bytes, and as a multiple of
what was drawn at random. With --check it is an error if these are not bounded
as they are to be, and each mode is also verified.
"""

import argparse
import atexit
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# By mode: the most that the trace may be, as a multiple of the entropy.
MODES = {"signatures": 1.05, "values": 1.15, "polling": 1.15, "arrays": 1.15, "any": 1.3, "strings": 1.1}
# Calls that are verified; with any, 1,000 requests are copied for each.
VERIFIED, VERIFIED_ANY = 60000, 6000
GROWTH, MEMORY, SMALL = 2048, 8192, 4000  # kB that the last nine tenths, and all, may take; bytes of a trace's head


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", help="irregular, built (default: it is built by --mpicc)")
    parser.add_argument("--mpicc", default="mpicc.mpich", help="(default %(default)s)")
    parser.add_argument("--pilgrim", default=str(ROOT / "build/release/bin/pilgrim"),
                        help="the pilgrim tool (default %(default)s)")
    parser.add_argument("--calls", type=int, default=10**7, help="(default %(default)s)")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if not arguments.program:
        folder = tempfile.mkdtemp()
        atexit.register(shutil.rmtree, folder)
        arguments.program = os.path.join(folder, "irregular")
        subprocess.run([arguments.mpicc, "-O2", "-o", arguments.program, str(ROOT / "benchmarks/irregular/irregular.c"), "-lm"],
                       check=True)
    return arguments


def run(arguments, mode, calls, *options):
    """The program's four numbers, and the bytes of the trace if it is traced."""
    command = [os.path.abspath(arguments.program), mode, str(calls)]
    with tempfile.TemporaryDirectory() as folder:
        if options:
            command = [os.path.abspath(arguments.pilgrim), "run", "--output", "t.pilgrim", *options[1:], *command]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
        numbers = [float(word) for word in done.stdout.split()]
        if not options:
            return numbers
        if os.listdir(folder) != ["t.pilgrim"]:
            sys.exit(f"{mode} left {os.listdir(folder)}")
        trace = os.path.join(folder, "t.pilgrim")
        if subprocess.run([arguments.pilgrim, "check", trace]).returncode:
            sys.exit(f"{mode}: the trace is not sound")
        return [*numbers, os.path.getsize(trace)]


def main():
    arguments = parse_arguments()
    print(f"{'mode':12}{'ns':>8}{'kB':>8}{'grown':>8}{'finalize':>10}{'bytes':>12}{'/ entropy':>11}")
    failed = False
    for mode, most in MODES.items():
        plain = run(arguments, mode, arguments.calls)
        early = run(arguments, mode, arguments.calls // 10, "traced")
        traced = run(arguments, mode, arguments.calls, "traced")
        grown, ratio = traced[1] - early[1], (traced[4] - SMALL) * 8 / traced[3]
        print(f"{mode:12}{traced[0] - plain[0]:8.0f}{traced[1] - plain[1]:8.0f}{grown:8.0f}"
              f"{traced[2] - plain[2]:10.3f}{traced[4]:12}{traced[4] * 8 / traced[3]:11.3f}", flush=True)
        if arguments.check:
            run(arguments, mode, VERIFIED_ANY if mode == "any" else VERIFIED, "traced", "--verify", "strict")
            failed |= grown > GROWTH or traced[1] - plain[1] > MEMORY or ratio > most
    if failed:
        sys.exit("more than it is to be")


main()
