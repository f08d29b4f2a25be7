#!/usr/bin/env python3
"""What tracing adds to one MPI call.

Runs percall untraced and traced alternately and prints, per loop, the untraced
nanoseconds of an iteration, the nanoseconds that tracing adds (median over the
pairs), and how many times the two clock reads of the same traced run each call
of the loop costs more. Two clock reads are what a tracer with timing can not do
without: 1.0 would be perfect.
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
CLOCKS = ("two_rdtsc", "two_clock_gettime")


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release",
                        help="build folder (default %(default)s)")
    parser.add_argument("--program", help="percall, or one built another way (default: the build's)")
    parser.add_argument("--hybrid", metavar="PROGRAM",
                        help="the same program built by pilgrim-cc: traced runs are of it")
    parser.add_argument("--pilgrim", help="the pilgrim tool (default: the build's)")
    parser.add_argument("--preload", metavar="LIB",
                        help="preload this library instead of using pilgrim run: another tracer")
    parser.add_argument("--option", action="append", default=[], metavar="OPTION",
                        help="more options of pilgrim run, such as --option=--timing=zstd")
    parser.add_argument("--iterations", type=int, default=10**7, help="of each loop (default %(default)s)")
    parser.add_argument("--pairs", type=int, default=9, help="untraced and traced runs (default %(default)s)")
    parser.add_argument("--clock", choices=CLOCKS, help="unit of the multiples (default: rdtsc where there is one)")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if arguments.pairs < 1 or arguments.iterations < 1:
        parser.error("--pairs and --iterations must be positive")
    arguments.program = arguments.program or str(arguments.build / "workloads/percall")
    arguments.pilgrim = arguments.pilgrim or str(arguments.build / "bin/pilgrim")
    if not shutil.which(arguments.program):
        parser.error(f"no program at {arguments.program}")
    if arguments.hybrid and not shutil.which(arguments.hybrid):
        parser.error(f"no program at {arguments.hybrid}")
    if arguments.preload:
        arguments.preload = os.path.abspath(arguments.preload)
        if not os.path.exists(arguments.preload):
            parser.error(f"no library at {arguments.preload}")
    elif not shutil.which(arguments.pilgrim):
        parser.error(f"no pilgrim tool at {arguments.pilgrim}: use --pilgrim, or --preload")
    return arguments


def run_once(arguments, folder, traced):
    command = [os.path.abspath(arguments.program), str(arguments.iterations)]
    environment = dict(os.environ)
    if traced and arguments.preload:
        environment["LD_PRELOAD"] = arguments.preload
    elif traced and arguments.hybrid:
        command[0] = os.path.abspath(arguments.hybrid)
        environment["PILGRIM_OUTPUT"] = os.path.join(folder, "percall.pilgrim")
    elif traced:
        command = [os.path.abspath(shutil.which(arguments.pilgrim)), "run", "--output",
                   os.path.join(folder, "percall.pilgrim"), *arguments.option, *command]
    # In a scratch folder, where other tracers leave their files.
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        lines = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()
        sys.exit(f"percall.py: {' '.join(command)}: exit code {done.returncode}: {lines[-1]}")
    # Other tracers print to stdout, too.
    return json.loads(done.stdout[done.stdout.index('{"iterations"'):].split("}\n")[0] + "}")


def main():
    arguments = parse_arguments()
    pairs = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(arguments.pairs):
            pairs.append((run_once(arguments, folder, False), run_once(arguments, folder, True)))
    calls = pairs[0][0]["calls"]
    clock = arguments.clock or (CLOCKS[0] if pairs[0][1]["ns"][CLOCKS[0]] > 0 else CLOCKS[1])
    rows = []
    for name in calls:
        added = [traced["ns"][name] - plain["ns"][name] for plain, traced in pairs]
        multiples = [extra / calls[name] / traced["ns"][clock] for extra, (_, traced) in zip(added, pairs)]
        rows.append({"loop": name, "calls": calls[name],
                     "untraced_ns": round(statistics.median(plain["ns"][name] for plain, _ in pairs), 1),
                     "added_ns": round(statistics.median(added), 1),
                     "added_ns_per_call": round(statistics.median(added) / calls[name], 1),
                     "clock_multiples_per_call": round(statistics.median(multiples), 2)})
    clocks = {name: round(statistics.median(traced["ns"][name] for _, traced in pairs), 1) for name in CLOCKS}
    if arguments.json:
        print(json.dumps({"iterations": arguments.iterations, "pairs": arguments.pairs, "clock": clock,
                          "clocks_ns": clocks, "loops": rows}))
        return 0
    columns = list(rows[0])
    table = [[column.replace("_", " ") for column in columns]] + [[str(row[c]) for c in columns] for row in rows]
    widths = [max(map(len, column)) for column in zip(*table)]
    for line in table:
        print("  ".join([line[0].ljust(widths[0])]
                        + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:])]))
    print(f"medians of {arguments.pairs} pairs of {arguments.iterations} iterations; two clock reads: "
          + ", ".join(f"{name} {value} ns" for name, value in clocks.items()) + f"; multiples of {clock}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
