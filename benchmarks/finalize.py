#!/usr/bin/env python3
"""What MPI_Finalize takes of a program that pilgrim-cc and its kin built: untraced, traced in dynamic mode, and with
structure.

Printed are medians: seconds of the slowest rank, MPI's own part included, and seconds of processor time of all ranks; the
trace's bytes; and how much longer MPI_Finalize takes with structure than without. The three kinds of runs take turns.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODES = {"untraced": {"PILGRIM": "off"}, "dynamic": {"PILGRIM_MODE": "dynamic"}, "structure": {}}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release",
                        help="build folder, for the library that yields (default %(default)s)")
    parser.add_argument("--mpicc", default="mpicc.mpich", help="of the MPI's own (default %(default)s)")
    parser.add_argument("--mpiexec", default="mpiexec.mpich")
    parser.add_argument("--ranks", type=int, default=4, help="default %(default)s")
    parser.add_argument("--runs", type=int, default=5, help="of each kind (default %(default)s)")
    parser.add_argument("--timeout", type=float, default=300, help="seconds a run may take (default %(default)s)")
    parser.add_argument("program", nargs="+", help="and its arguments, after --")
    arguments = parser.parse_args()
    if arguments.ranks < 1 or arguments.runs < 1:
        parser.error("--ranks and --runs must be positive")
    return arguments


def run(arguments, folder, library, mode):
    """Seconds of the slowest rank, processor time of all, bytes of the trace."""
    log, trace = folder / "log", folder / "trace.pilgrim"
    log.unlink(missing_ok=True)
    trace.unlink(missing_ok=True)
    yields = arguments.build / "lib/libpilgrim-test-yield.so"
    preload = ":".join(str(path) for path in (yields, library) if path.exists())
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PILGRIM")}
    environment |= MODES[mode] | {"PILGRIM_LOG": "error", "PILGRIM_OUTPUT": str(trace), "PILGRIM_BENCH_FINALIZE": str(log)}
    command = [arguments.mpiexec, "-genv", "LD_PRELOAD", preload, "-n", str(arguments.ranks), *arguments.program]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=arguments.timeout)
    rows = [line.split() for line in log.read_text().splitlines()] if log.exists() else []
    if result.returncode or len(rows) != arguments.ranks:
        sys.exit(f"finalize.py: {arguments.program[0]}, {mode}: exit code {result.returncode}, {len(rows)} of"
                 f" {arguments.ranks} ranks finalized\n{result.stderr[-500:]}")
    if (mode == "untraced") == trace.exists():
        sys.exit(f"finalize.py: {arguments.program[0]}, {mode}: {'a' if trace.exists() else 'no'} trace was written")
    size = trace.stat().st_size if trace.exists() else 0
    return max(float(wall) for wall, _ in rows), sum(float(processor) for _, processor in rows), size


def main():
    arguments = parse_arguments()
    results = {mode: [] for mode in MODES}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        library = folder / "libfinalize.so"
        source = ROOT / "benchmarks/Finalize.c"
        subprocess.run([arguments.mpicc, "-O1", "-shared", "-fPIC", source, "-o", library, "-ldl"], check=True)
        for _ in range(arguments.runs):
            for mode, rows in results.items():
                rows.append(run(arguments, folder, library, mode))
    medians = {mode: [statistics.median(column) for column in zip(*rows)] for mode, rows in results.items()}
    print(f"{'':12}{'seconds':>10}{'processor':>12}{'bytes':>12}")
    for mode, (wall, processor, size) in medians.items():
        print(f"{mode:12}{wall:10.3f}{processor:12.3f}{size:12.0f}")
    print(f"with structure, by without: {medians['structure'][0] / medians['dynamic'][0]:.2f}")


if __name__ == "__main__":
    main()
