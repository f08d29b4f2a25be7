#!/usr/bin/env python3
"""Every workload, built by pilgrim-cc and its kin, is traced as it runs, and as without structure.

    check_workloads.py --bin DIR --sources DIR --mpiexec "COMMAND" --output DIR --ranks N [--without-fortran] [--only-with-markers]

Runs each under strict --verify with its markers and without (--mode dynamic). Both traces must have the same calls, the
one with markers has structure, is at most 1.2 times as large plus 2 kB, and the checker (test/checker) finds no fault in
it. Prints a table. --only-with-markers leaves the other run out, and what is compared with it.
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
    parser.add_argument("--without-fortran", action="store_true")
    parser.add_argument("--only-with-markers", action="store_true")
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
        for mode in ("auto",) if options.only_with_markers else ("auto", "dynamic"):
            traces[mode] = f"{program}.{mode}.pilgrim"
            done = run([*options.mpiexec.split(), "-n", options.ranks, program], PILGRIM_MODE=mode,
                       PILGRIM_VERIFY="strict", PILGRIM_TIMING="off", PILGRIM_OUTPUT=traces[mode])  # fmt: skip
            if "ranks agree" not in done.stderr:
                problems.append(f"{name}, {mode}: {done.stderr}")
            sizes[mode] = os.path.getsize(traces[mode])
        if name not in UNSTEADY and "dynamic" in traces:
            run([pilgrim, "diff", traces["auto"], traces["dynamic"]])
        if sizes["auto"] > 1.2 * sizes.get("dynamic", sizes["auto"]) + 2048:
            problems.append(f"{name}: {sizes['auto']} bytes with structure, {sizes['dynamic']} without")
        if json.loads(run([pilgrim, "info", "--json", traces["auto"]]).stdout)["regions"] == 0:
            problems.append(f"{name}: no structure")
        faults, left, _ = check_trace.check(Path(traces["auto"]))
        problems += [f"{name}: {line}" for line in (faults + left)[:5]]
        print(f"{name:16}" + "".join(f"{size:8}" for size in sizes.values()))
    print("\n".join(problems), end="")
    print(f"{number} workloads on {options.ranks} ranks, {len(problems)} problems")
    return 1 if problems or not number else 0


if __name__ == "__main__":
    sys.exit(main())
