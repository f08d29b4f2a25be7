#!/usr/bin/env python3
"""Runs the workloads untraced and traced and prints what their traces cost.

One row per workload and number of ranks: calls, trace bytes in all and by
section, signatures, bytes per 1000 calls, seconds of the run traced by untraced
(median over pairs), and the peak memory that tracing adds to a rank (median
over ranks, of the first pair).

Ranks that share few cores wait for each other in MPICH's busy loops; --shim
names a library that yields there. Times taken under it say little about a
machine with a core per rank: compare them with each other only.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOT_WORKLOADS = {"percall"}


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release",
                        help="build folder (default %(default)s)")
    parser.add_argument("--pilgrim", help="the pilgrim tool (default: the build's)")
    parser.add_argument("--mpiexec", default="mpiexec.mpich")
    parser.add_argument("--shim", default=None,
                        help="library to preload into the ranks; 'none' for none "
                             "(default: the build's lib/libpilgrim-test-yield.so, if there)")
    parser.add_argument("--filter", default="", help="only workloads whose name contains this")
    parser.add_argument("--ranks", default="1,4,9", help="numbers of ranks (default %(default)s)")
    parser.add_argument("--iterations", type=int, default=0,
                        help="of each workload (default: its own small number)")
    parser.add_argument("--pairs", type=int, default=5, help="untraced and traced runs (default %(default)s)")
    parser.add_argument("--option", action="append", default=[], metavar="OPTION",
                        help="more options of pilgrim run, such as --option=--mode=dynamic")
    parser.add_argument("--untraced", action="store_true", help="only check that the workloads run")
    parser.add_argument("--json", action="store_true", help="print a JSON object a row instead of a table")
    parser.add_argument("--keep", type=pathlib.Path, help="folder to keep the traces in")
    parser.add_argument("--timeout", type=float, default=120, help="seconds a run may take (default %(default)s)")
    arguments = parser.parse_args()
    try:
        arguments.ranks = [int(word) for word in arguments.ranks.split(",")]
    except ValueError:
        parser.error(f"--ranks: not a list of numbers: {arguments.ranks}")
    if arguments.pairs < 1 or min(arguments.ranks) < 1:
        parser.error("--pairs and --ranks must be positive")
    arguments.pilgrim = arguments.pilgrim or str(arguments.build / "bin/pilgrim")
    if not arguments.untraced and not shutil.which(arguments.pilgrim):
        parser.error(f"no pilgrim tool at {arguments.pilgrim}: use --pilgrim, or --untraced")
    if arguments.shim is None:
        shim = arguments.build / "lib/libpilgrim-test-yield.so"
        arguments.shim = str(shim) if shim.exists() else "none"
    return arguments


class RunFailed(Exception):
    pass


def run_once(arguments, program, ranks, trace=None):
    """Runs a workload; returns its output line, seconds and peak kB by rank."""
    with tempfile.TemporaryDirectory() as folder:
        preload = [str(arguments.build / "lib/libpilgrim-bench-measure.so")]
        if arguments.shim != "none":
            preload.insert(0, arguments.shim)
        command = [arguments.mpiexec, "-n", str(ranks), "-genv", "LD_PRELOAD", ":".join(preload),
                   "-genv", "PILGRIM_BENCH_MEASURE", folder, "-genv", "PILGRIM_BENCH_TIME", "1"]
        if trace:
            command += [arguments.pilgrim, "run", "--output", str(trace), "--timing", "off", *arguments.option]
        command += [str(program)] + ([str(arguments.iterations)] if arguments.iterations else [])
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=arguments.timeout)
        except subprocess.TimeoutExpired:
            raise RunFailed(f"took more than {arguments.timeout:g} s") from None
        if done.returncode != 0:
            lines = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()
            raise RunFailed(f"exit code {done.returncode}: {lines[-1]}")
        # Some programs time themselves between MPI_Init and MPI_Finalize; for
        # the others it is the life of the slowest rank.
        seconds, memory = 0.0, []
        for file in pathlib.Path(folder).iterdir():
            words = file.read_text().split()
            if words[2:] != [program.name]:  # helpers of the tracer
                continue
            memory.append(int(words[0]))
            seconds = max(seconds, float(words[1]))
        for line in done.stderr.splitlines():
            if line.startswith("pilgrim-bench: seconds "):
                seconds = float(line.split()[2])
        return done.stdout.strip(), seconds, memory


def read_info(arguments, trace):
    done = subprocess.run([arguments.pilgrim, "info", "--json", str(trace)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RunFailed(f"pilgrim info: {done.stderr.strip()}")
    return json.loads(done.stdout)


def section_sizes(info):
    """{name: bytes, unpacked}"""
    return {name: size["raw"] for name, size in info["sections"].items()}


def measure(arguments, program, ranks, folder):
    row = {"workload": program.name, "ranks": ranks}
    trace = folder / f"{program.name}.{ranks}.pilgrim"
    ratios, seconds = [], []
    for pair in range(arguments.pairs):
        plain_output, plain_seconds, plain_memory = run_once(arguments, program, ranks)
        seconds.append(plain_seconds)
        if arguments.untraced:
            continue
        output, traced_seconds, memory = run_once(arguments, program, ranks, trace)
        if output != plain_output:
            raise RunFailed(f"prints another line when traced: {output!r} instead of {plain_output!r}")
        ratios.append(traced_seconds / plain_seconds if plain_seconds else float("nan"))
        if pair == 0 and memory and plain_memory:
            row["memory_kb"] = statistics.median(memory) - statistics.median(plain_memory)
    row["seconds"] = round(statistics.median(seconds), 4)
    if arguments.untraced:
        return row
    info = read_info(arguments, trace)
    row["calls"] = info["calls"]
    row["bytes"] = trace.stat().st_size
    row["signatures"] = info["signatures"]
    if row["calls"]:
        row["bytes_per_1000_calls"] = round(1000 * row["bytes"] / row["calls"], 1)
    row["time_ratio"] = round(statistics.median(ratios), 3)
    row["sections"] = section_sizes(info)
    return row


def print_table(rows):
    columns = ["workload", "ranks", "calls", "bytes", "signatures", "bytes_per_1000_calls",
               "time_ratio", "seconds", "memory_kb"]
    columns = [column for column in columns if any(column in row for row in rows)]
    sections = list(dict.fromkeys(name for row in rows for name in row.get("sections", {})))
    table = [[column.replace("_", " ") for column in columns] + sections]
    for row in rows:
        table.append([str(row.get(column, "-")) for column in columns]
                     + [str(row.get("sections", {}).get(name, "-")) for name in sections])
    widths = [max(map(len, column)) for column in zip(*table)]
    for line in table:
        print("  ".join([line[0].ljust(widths[0])]
                        + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:])]))


def main():
    arguments = parse_arguments()
    programs = sorted(path for path in (arguments.build / "workloads").glob("*")
                      if path.is_file() and os.access(path, os.X_OK)
                      and arguments.filter in path.name and path.name not in NOT_WORKLOADS)
    if not programs:
        sys.exit(f"run.py: no workload in {arguments.build / 'workloads'} contains '{arguments.filter}'")
    rows, failures = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for program in programs:
            for ranks in arguments.ranks:
                try:
                    row = measure(arguments, program, ranks, folder)
                except RunFailed as problem:
                    failures += 1
                    print(f"run.py: {program.name} on {ranks} ranks: {problem}", file=sys.stderr)
                    continue
                rows.append(row)
                if arguments.json:
                    print(json.dumps(row), flush=True)
    if not arguments.json and rows:
        print_table(rows)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
