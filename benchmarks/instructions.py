#!/usr/bin/env python3
"""How many instructions tracing adds to one MPI call.

Runs each loop of percall by itself under callgrind, with two numbers of
iterations, so that only the steady state counts: as it is, with the tracer
preloaded (dynamic; untimed and calls: the same with --timing off and calls), and built by
pilgrim-cc instead of the same clang (hybrid). Prints what the program itself executes in an iteration, and what
each way of tracing adds to it: in the program and in the tracer. What MPI does
meanwhile is left out: how often it looks for progress differs from run to run.
These numbers are the same on a busy machine; a clock read is one instruction
here.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOOPS = ("comm_rank", "iprobe", "sendrecv", "nonblocking")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release",
                        help="build folder (default %(default)s)")
    parser.add_argument("--iterations", type=int, default=20000,
                        help="that are counted; half as many come before (default %(default)s)")
    parser.add_argument("--loops", nargs="+", choices=LOOPS, default=LOOPS)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()
    if arguments.iterations < 2:
        parser.error("--iterations must be at least 2")
    if not shutil.which("valgrind"):
        sys.exit("instructions.py: needs valgrind")
    for needed in ("bin/pilgrim-cc", "lib/libpilgrim.so"):
        if not (arguments.build / needed).exists():
            sys.exit(f"instructions.py: no {arguments.build / needed}")
    return arguments


def compiled(arguments, program, wrapper):
    sources = sorted((ROOT / "benchmarks/percall").glob("*.c"))
    done = subprocess.run([arguments.build / "bin/pilgrim-cc", "-O2", "-o", program, *sources],
                          env=os.environ | wrapper)  # fmt: skip
    if done.returncode:
        sys.exit("instructions.py: pilgrim-cc failed")
    return program


def own_instructions(profile, objects):
    """Of a callgrind profile: those of the objects with these names, but for compression at the end, which depends on
    what times the trace has."""
    count, inclusive = 0, False
    names = {"ob": {}, "fn": {}}
    at = {"ob": "", "fn": ""}
    for line in profile.read_text().splitlines():
        if found := re.match(r"(c?)(ob|fn)=\((\d+)\)(?: (.*))?", line):
            known = names[found[2]]
            known.setdefault(found[3], found[4] or "")
            if not found[1]:
                at[found[2]] = known[found[3]]
        elif line.startswith("calls="):
            inclusive = True  # the next line is what was executed there
        elif found := re.match(r"[+*-]?\d*(?: \+?\d+)? (\d+)$", line):
            if not inclusive and os.path.realpath(at["ob"]) in objects and not at["fn"].startswith(("ZSTD", "HUF", "FSE")):
                count += int(found[1])
            inclusive = False
    return count


def executed(program, iterations, loop, folder, library, preload, timing):
    profile = pathlib.Path(folder, "callgrind.out")
    environment = os.environ | {"PILGRIM_OUTPUT": f"{folder}/percall.pilgrim", "PILGRIM_LOG": "error", "PILGRIM_TIMING": timing}
    environment.pop("LD_PRELOAD", None)
    if preload:
        environment["LD_PRELOAD"] = str(library)
    done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", program, str(iterations), loop],
                          env=environment, cwd=folder, capture_output=True, text=True)  # fmt: skip
    if done.returncode:
        sys.exit(f"instructions.py: {program} ends with {done.returncode}: {done.stderr[-500:]}")
    return own_instructions(profile, {os.path.realpath(program), os.path.realpath(library)})


def main():
    arguments = parse_arguments()
    few, many = arguments.iterations // 2, arguments.iterations // 2 + arguments.iterations
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        plain, hybrid = (compiled(arguments, pathlib.Path(folder, name), wrapper)
                         for name, wrapper in (("plain", {"PILGRIM_WRAPPER": "off"}), ("hybrid", {})))  # fmt: skip
        ways = {"untraced": (plain, False, "mean"), "dynamic": (plain, True, "mean"), "untimed": (plain, True, "off"), "calls": (plain, True, "calls"), "hybrid": (hybrid, False, "mean")}
        if arguments.json:
            ways.pop("calls")  # which takes a while more
        library = arguments.build / "lib/libpilgrim.so"
        for loop in arguments.loops:
            counts = {way: (executed(program, many, loop, folder, library, preload, timing)
                            - executed(program, few, loop, folder, library, preload, timing)) / arguments.iterations for way, (program, preload, timing) in ways.items()}  # fmt: skip
            rows.append({"loop": loop, "untraced": round(counts["untraced"], 1)} |
                        {way: round(counts[way] - counts["untraced"], 1) for way in counts if way != "untraced"})  # fmt: skip
    if arguments.json:
        print(json.dumps(rows))
        return 0
    print(f"{'loop':12} {'untraced':>10} {'dynamic':>10} {'untimed':>10} {'calls':>10} {'hybrid':>10}")
    for row in rows:
        print(f"{row['loop']:12} {row['untraced']:10} {row['dynamic']:+10} {row['untimed']:+10} {row['calls']:+10} {row['hybrid']:+10}")
    print(f"instructions of an iteration in the program, and what tracing adds there and in the tracer; {arguments.iterations} iterations")
    return 0


if __name__ == "__main__":
    sys.exit(main())
