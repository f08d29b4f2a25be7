#!/usr/bin/env python3
"""Random programs, built by pilgrim-cc in several ways, must be traced as they run.

    check_random.py --bin DIR --output DIR [--programs N] [--functions N] [--seed N] [--places "WORDS" [--openmp] [--fortran]]

Each program (test/pass/random_program.py) has three source files of functions with loops, branches, switches, gotos,
calls, recursion, longjmp or exceptions; its calls go to MPI (RealMpi.h). It runs under strict --verify: the raw copy of
every call must be what the trace decodes to. Any of its files may be left without markers, and any function of the
others. Its output must be that of a build without markers. With --places, each call must stand in the tree where a
backtrace has it, instead; WORDS are the command of test/places/places.py. Programs may be in Fortran then
(random_fortran.py). A long run by hand: --programs 500.
"""

import argparse
import os
import random
import re
import shlex
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
GENERATOR = HERE.parent / "pass" / "random_program.py"
IGNORE = '__attribute__((annotate("pilgrim_ignore")))'
FAKE = "int MPI_Send(int); int MPI_Recv(int);\n"
# What an optimiser merges, a debugger shows at one of the lines.
UNMERGED = ["-enable-tail-merge=false", "-simplifycfg-hoist-common=false", "-simplifycfg-sink-common=false"]
WAYS = [["-O0"], ["-O1"], ["-O2", "-g"], ["-O3"], ["-Os"], ["-O2", "-flto", "-fuse-ld=lld"]]
FORTRAN_WAYS = [["-O0"], ["-O1"], ["-O2"], ["-O3"]]


def run(command, **options):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, errors="replace", timeout=500, **options)


def build(command, **options):
    done = run(command, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\nends with {done.returncode}:\n{done.stderr}")


def sources(options, seed, cxx, folder):
    build([sys.executable, GENERATOR, "--seed", seed, "--functions", options.functions, *["--openmp"] * options.openmp,
           "--language", "c++" if cxx else "c", "--output", folder])  # fmt: skip
    suffix = ".cpp" if cxx else ".c"
    for part in range(3):
        path = folder / f"part{part}{suffix}"
        text = path.read_text()
        assert FAKE in text
        text = text.replace(FAKE, "")
        text = text.replace("#include <setjmp.h>", '#include "RealMpi.h"\n#include <setjmp.h>', 1)
        chance = random.Random(f"{seed} {part}")
        share = 0 if options.places else chance.choice([0, 0, 0.1, 0.5])
        text = re.sub(r"^int f\d+\(int d", lambda m: (IGNORE + " ") * (chance.random() < share) + m[0], text, flags=re.M)
        if "int main(" in text:
            text = text.replace("int main(int argc, char **argv) {",
                                "int main(int argc, char **argv) {\n  MPI_Init(&argc, &argv);", 1)  # fmt: skip
            text += '\n#ifdef __cplusplus\nextern "C"\n#endif\nvoid check_report(void) { MPI_Finalize(); }\n'
        path.write_text(text)
        yield path


def check(options, seed):
    chance = random.Random(seed)
    cxx = seed % 3 == 0
    folder = options.output / f"program{seed}"
    files = list(sources(options, seed, cxx, folder))
    compiler = options.bin / ("pilgrim-cxx" if cxx else "pilgrim-cc")
    way = WAYS[seed % len(WAYS)]
    off = os.environ | {"PILGRIM_WRAPPER": "off"}
    build([compiler, "-w", "-O1", f"-I{HERE}", *files, "-o", folder / "plain"], env=off)
    objects = []
    marked = [chance.random() < 0.7 for _ in files]
    for path, mark in zip(files, marked):
        objects.append(path.with_suffix(".o"))
        build([compiler, "-w", *way, f"-I{HERE}", "-c", path, "-o", objects[-1]], env=None if mark else off)
    build([compiler, *way, *objects, "-o", folder / "program"])
    calls = 0
    for argument in (1, 2, 3):
        plain = run([folder / "plain", argument], env=off)
        trace = folder / f"{argument}.pilgrim"
        done = run([folder / "program", argument],
                   env=os.environ | {"PILGRIM_VERIFY": "strict", "PILGRIM_OUTPUT": str(trace)})  # fmt: skip
        lines = [line for line in done.stderr.splitlines() if "verify:" in line]
        good = len(lines) == 1 and lines[0].endswith("agree")
        if not good or (done.returncode, done.stdout) != (plain.returncode, plain.stdout):
            print(f"{folder / 'program'} {argument} ({' '.join(way)}, marked {marked}): {done.returncode}, {done.stderr}")
            return None
        calls += int(lines[0].split()[2])
        # Without the copy, calls take another form of the wrappers.
        usual = folder / f"{argument}.usual.pilgrim"
        run([folder / "program", argument], env=os.environ | {"PILGRIM_OUTPUT": str(usual)})
        same = run([options.bin / "pilgrim", "diff", trace, usual])
        if same.returncode != 0:
            print(f"{folder / 'program'} {argument} ({' '.join(way)}): without --verify: {same.stdout}")
            return None
    return calls


def build_for_places(options, seed, folder):
    """How it was built."""
    ways = FORTRAN_WAYS if options.fortran else WAYS
    way = ways[seed % len(ways)] + ["-g", *["-fopenmp"] * options.openmp]
    for word in UNMERGED:
        way += [f"-Wl,-mllvm,{word}"] if "-flto" in way else ["-mllvm", word]
    if options.fortran:
        build([sys.executable, HERE / "random_fortran.py", "--seed", seed, "--procedures", options.functions,
               *["--openmp"] * options.openmp, "--output", folder])  # fmt: skip
        build([options.bin / "pilgrim-fort", *way, "base.f90", "work.f90", "main.f90", "-o", "program"], cwd=folder)
        return way
    cxx = seed % 3 == 0 and not options.openmp
    build([options.bin / ("pilgrim-cxx" if cxx else "pilgrim-cc"), "-w", *way, "-fno-optimize-sibling-calls", f"-I{HERE}",
           *sources(options, seed, cxx, folder), "-o", folder / "program"])  # fmt: skip
    return way


def check_places(options, seed):
    folder = options.output / f"program{seed}"
    way = build_for_places(options, seed, folder)
    calls = 0
    for argument in (1, 2):
        done = run([*shlex.split(options.places), "--without-lines", "--", "env", folder / "program", argument])
        print(done.stdout + done.stderr if done.returncode else "", end="")
        if done.returncode:
            print(f"{folder / 'program'} {argument} ({' '.join(way)})")
            return None
        calls += int(re.search(r"(\d+) calls;", done.stdout)[1])
    return calls


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--programs", type=int, default=40)
    parser.add_argument("--functions", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--places", metavar="WORDS")
    parser.add_argument("--openmp", action="store_true", help="with --places: also constructs of OpenMP, in C")
    parser.add_argument("--fortran", action="store_true", help="with --places: programs in Fortran")
    options = parser.parse_args()
    total = failed = 0
    for seed in range(options.seed, options.seed + options.programs):
        calls = (check_places if options.places else check)(options, seed)
        failed += calls is None
        total += calls or 0
    print(f"{options.programs} programs, {options.programs * options.functions} functions, {total} calls,"
          f" {failed} programs failed")  # fmt: skip
    return 1 if failed or not total else 0


if __name__ == "__main__":
    sys.exit(main())
