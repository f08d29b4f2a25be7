#!/usr/bin/env python3
"""Every workload, built by pilgrim-cc and its kin, is traced as it runs, and as without structure.

    check_workloads.py --bin DIR --sources DIR --mpiexec "COMMAND" --output DIR --ranks N [--also N] [--without-fortran]

Runs each under strict --verify with its markers and without (--mode dynamic). Both traces must have the same calls, the
one with markers has structure, is at most 1.2 times as large plus 2 kB, and the checker (test/checker) finds no fault in
it. Prints a table. --also runs it with markers on another number of ranks, too.
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


def run(command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=os.environ | environment)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{environment} ends with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--ranks", required=True)
    parser.add_argument("--also")
    parser.add_argument("--without-fortran", action="store_true")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    pilgrim, problems, number = str(options.bin / "pilgrim"), [], 0
    for source in sorted(options.sources.iterdir()):
        compiler = COMPILERS.get(source.suffix)
        if not compiler or (options.without_fortran and source.suffix == ".f90"):
            continue
        name, number = source.stem, number + 1
        program = str(options.output / name)
        run([str(options.bin / compiler), "-O2", "-g", "-w", f"-I{options.sources}", str(source), "-o", program, "-lm"])
        traces, sizes = {}, {}
        runs = {"auto": options.ranks, "dynamic": options.ranks} | ({"also": options.also} if options.also else {})
        for way, ranks in runs.items():
            traces[way] = f"{program}.{way}.pilgrim"
            done = run([*options.mpiexec.split(), "-n", ranks, program], PILGRIM_MODE=way.replace("also", "auto"),
                       PILGRIM_VERIFY="strict", PILGRIM_TIMING="off", PILGRIM_OUTPUT=traces[way])  # fmt: skip
            if "ranks agree" not in done.stderr:
                problems.append(f"{name}, {way}: {done.stderr}")
            sizes[way] = os.path.getsize(traces[way])
        if name not in UNSTEADY:
            run([pilgrim, "diff", traces["auto"], traces["dynamic"]])
        if sizes["auto"] > 1.2 * sizes["dynamic"] + 2048:
            problems.append(f"{name}: {sizes['auto']} bytes with structure, {sizes['dynamic']} without")
        for way in traces.keys() - {"dynamic"}:
            if json.loads(run([pilgrim, "info", "--json", traces[way]]).stdout)["regions"] == 0:
                problems.append(f"{name}: no structure")
            faults, left, _ = check_trace.check(Path(traces[way]))
            problems += [f"{name}: {line}" for line in (faults + left)[:5]]
        print(f"{name:16}" + "".join(f"{size:8}" for size in sizes.values()))
    print("\n".join(problems), end="")
    print(f"{number} workloads on {options.ranks} ranks, {len(problems)} problems")
    return 1 if problems or not number else 0


if __name__ == "__main__":
    sys.exit(main())
