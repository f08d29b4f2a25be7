#!/usr/bin/env python3
"""What instrumentation costs a program besides its MPI calls.

Builds a program by clang and by pilgrim-cc with the same flags, or takes two
that are built, and compares the instructions that their own code executes
(callgrind; with the parts of markers that lie in libpilgrim, without MPI's and
the tracer's), the code in the executables (.text), and, where they are built
here, the CPU time that compiling took (median).

  instrumented.py --flags=-O2 benchmarks/untouched/*.c -- 1000000
  instrumented.py --plain cg.S.1 --hybrid cg.hybrid.S.1
"""

import argparse
import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="*", metavar="SOURCE", help="C files; the program's arguments behind --")
    parser.add_argument("--flags", default="-O2", help="of both compilers (default %(default)s)")
    parser.add_argument("--plain", help="the program as plain clang or flang builds it")
    parser.add_argument("--hybrid", help="the same built by pilgrim-cc or its kin")
    parser.add_argument("--compilations", type=int, default=5, help="of each kind (default %(default)s)")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release",
                        help="build folder (default %(default)s)")
    own, arguments = sys.argv[1:], []
    if "--" in own:
        at = own.index("--")
        own, arguments = own[:at], own[at + 1:]
    options = parser.parse_args(own)
    options.arguments = arguments
    if bool(options.plain) != bool(options.hybrid) or bool(options.sources) == bool(options.plain):
        parser.error("give sources, or --plain and --hybrid")
    if not shutil.which("valgrind"):
        sys.exit("instrumented.py: needs valgrind")
    return options


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def build(options, folder):
    """Both programs, and the CPU seconds that each compilation took."""
    compiler = options.build / "bin/pilgrim-cc"
    programs = {kind: folder / kind / "program" for kind in ("plain", "hybrid")}
    seconds = {kind: [] for kind in programs}
    for _ in range(options.compilations):
        for kind, program in programs.items():
            program.parent.mkdir(exist_ok=True)
            environment = os.environ | ({"PILGRIM_WRAPPER": "off"} if kind == "plain" else {})
            before = cpu_seconds()
            done = subprocess.run([compiler, "-w", *options.flags.split(), *options.sources, "-o", program], env=environment)
            seconds[kind].append(cpu_seconds() - before)
            if done.returncode:
                sys.exit(f"instrumented.py: {compiler} failed")
    return programs, seconds


def instructions(options, program, folder):
    """What the program's own code and the markers' entries execute. Nothing is traced: tracing is no part of it."""
    out = folder / "callgrind.out"
    environment = os.environ | {"PILGRIM": "off"}
    done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", program, *options.arguments],
                          env=environment, capture_output=True, text=True)  # fmt: skip
    if done.returncode:
        sys.exit(f"instrumented.py: {program} ends with {done.returncode}: {done.stderr[-500:]}")
    listing = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", out],
                             capture_output=True, text=True, errors="replace").stdout  # fmt: skip
    name = os.path.realpath(program)
    count = 0
    for line in listing.splitlines():
        if found := re.match(r"\s*([\d,]+) \(.*?(\[([^\]]*)\])?\s*$", line):
            if found[3] == name or re.search(r":__pilgrim_(enter|enter_loop|next|exit|visit|leave)\b", line):
                count += int(found[1].replace(",", ""))
    return count


def text_size(program):
    listing = subprocess.run(["size", "-A", program], capture_output=True, text=True, check=True).stdout
    return next(int(line.split()[1]) for line in listing.splitlines() if line.startswith(".text"))


def main():
    options = parse_arguments()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        programs, seconds = {"plain": options.plain, "hybrid": options.hybrid}, None
        if options.sources:
            programs, seconds = build(options, folder)
        rows = {"instructions": {kind: instructions(options, p, folder) for kind, p in programs.items()},
                "code bytes": {kind: text_size(p) for kind, p in programs.items()}}  # fmt: skip
        if seconds:
            rows["compile seconds"] = {kind: round(statistics.median(s), 3) for kind, s in seconds.items()}
    for row, values in rows.items():
        print(f"{row:16} {values['plain']:>14} {values['hybrid']:>14} {100 * (values['hybrid'] / values['plain'] - 1):+8.2f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
