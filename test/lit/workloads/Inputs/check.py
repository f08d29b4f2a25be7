#!/usr/bin/env python3
"""What traces of the workloads have to be. One check a call:

    verify --ranks P [--part I/N] [--only-traced] [--only-real]   traced and untraced runs print and return the same, --verify finds no difference, and
                                      the checker (test/checker) no fault in the trace; --only-real: of workloads that virtual-ranks has not
    size SPEC SPEC --within BYTES     the second run's trace is at most so many bytes larger, and calls were added
    equal SPEC SPEC                   `pilgrim diff` finds the two runs' traces equal
    virtual --ranks P                 real runs and virtual ranks have equal traces, for all workloads that virtual-ranks has, and the real ones are
                                      verified as above

A SPEC is WORKLOAD:RANKS[:ITERATIONS[:SIZE]], with "virtual-" before it for virtual ranks. Prints a line a comparison;
exit code 1 if any failed.
"""

import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "checker"))
import check_trace  # noqa: E402

NOT_WORKLOADS = {"percall"}


def run(command, **environment):
    done = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        errors="replace",
        env={**os.environ, **environment},
    )
    return done


class Failed(Exception):
    pass


class Runner:
    def __init__(self, arguments):
        self.bin = arguments.bin
        self.workloads = arguments.workloads
        self.mpiexec = shlex.split(arguments.mpiexec)

    def names(self):
        return sorted(
            path.name
            for path in self.workloads.iterdir()
            if path.is_file()
            and os.access(path, os.X_OK)
            and path.name not in NOT_WORKLOADS
        )

    def virtual_names(self):
        return run([self.bin / "virtual-ranks", "--list"]).stdout.split()

    def program(self, name, ranks, words, options=None):
        """Runs a workload, traced if there are options."""
        command = self.mpiexec + ["-n", ranks]
        if options is not None:
            command += [self.bin / "pilgrim", "run", *options]
        return run(command + [self.workloads / name, *words])

    def trace(self, spec, output):
        """Makes the trace of a SPEC; its size and number of calls."""
        name, ranks, *words = spec.split(":")
        output.unlink(missing_ok=True)
        if name.startswith("virtual-"):
            command = [self.bin / "virtual-ranks", "--workload", name[8:], "--ranks", ranks]
            for option, word in zip(("--iterations", "--size"), words):
                command += [option, word]
            done = run(command + ["-o", output])
        else:
            done = self.program(name, ranks, words, ["--timing", "off", "--output", output])
        if done.returncode != 0 or not output.exists():
            raise Failed(f"{spec}: exit code {done.returncode}: {done.stderr}")
        info = json.loads(run([self.bin / "pilgrim", "info", "--json", output]).stdout)
        return output.stat().st_size, info["calls"]

    def diff(self, one, other):
        done = run([self.bin / "pilgrim", "diff", one, other])
        if done.returncode != 0:
            raise Failed(f"pilgrim diff {one} {other}:\n{done.stdout}{done.stderr}")


def checkerFaults(trace):
    try:
        faults, left, _ = check_trace.check(pathlib.Path(trace))
    except (OSError, check_trace.Damaged) as problem:
        return [str(problem)]
    return faults + left


def verified(runner, name, ranks):
    """Traces a workload; the run, and what is wrong."""
    trace = f"{name}.{ranks}.pilgrim"
    traced = runner.program(name, ranks, [], ["--verify", "on", "--output", trace])
    said = [line for line in traced.stderr.splitlines() if "verify: " in line]
    agrees = len(said) == 1 and said[0].endswith(f" on {ranks} ranks agree")
    wrong = [] if agrees and traced.returncode == 0 else [f"{said} {traced}"]
    return traced, wrong + checkerFaults(trace)[:5]


def verify(arguments, runner):
    part, parts = (int(word) for word in arguments.part.split("/"))
    ranks = arguments.ranks
    others = runner.virtual_names() if arguments.only_real else []
    for name in [n for n in runner.names() if n not in others][part - 1 :: parts]:
        plain = None if arguments.only_traced else runner.program(name, ranks, [])
        traced, wrong = verified(runner, name, ranks)
        if plain and (plain.stdout, plain.returncode) != (traced.stdout, traced.returncode):
            wrong.append(f"untraced: {plain}\ntraced: {traced}")
        yield not wrong, f"{name} on {ranks} {'; '.join(wrong)}"


def size(arguments, runner):
    small, small_calls = runner.trace(arguments.specs[0], pathlib.Path("size.1.pilgrim"))
    large, large_calls = runner.trace(arguments.specs[1], pathlib.Path("size.2.pilgrim"))
    text = f"{small} bytes for {small_calls} calls of {arguments.specs[0]}, "
    text += f"{large} bytes for {large_calls} calls of {arguments.specs[1]}"
    yield large - small <= arguments.within and large_calls > small_calls, text


def equal(arguments, runner):
    traces = [pathlib.Path(f"equal.{i}.pilgrim") for i in (1, 2)]
    for spec, trace in zip(arguments.specs, traces):
        runner.trace(spec, trace)
    runner.diff(*traces)
    yield True, f"{arguments.specs[0]} equals {arguments.specs[1]}"


def virtual(arguments, runner):
    for name in runner.virtual_names():
        spec = f"{name}:{arguments.ranks}"
        try:
            _, wrong = verified(runner, name, arguments.ranks)
            runner.trace("virtual-" + spec, pathlib.Path("virtual"))
            if not wrong:
                runner.diff(f"{name}.{arguments.ranks}.pilgrim", "virtual")
            yield not wrong, f"{spec} {'; '.join(wrong)}"
        except Failed as problem:
            yield False, f"{spec}: {problem}"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("check", choices=("verify", "size", "equal", "virtual"))
    parser.add_argument("specs", nargs="*")
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--workloads", type=pathlib.Path, required=True)
    parser.add_argument("--mpiexec", default="mpiexec")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--part", default="1/1", metavar="I/N")
    parser.add_argument("--only-traced", action="store_true")
    parser.add_argument("--only-real", action="store_true")
    parser.add_argument("--within", type=int, default=0)
    arguments = parser.parse_intermixed_args()
    runner, count, failures = Runner(arguments), 0, 0
    try:
        for good, text in globals()[arguments.check](arguments, runner):
            count += 1
            failures += not good
            print("agree:" if good else "DIFFERENT:", text, flush=True)
    except Failed as problem:
        failures += 1
        print("FAILED:", problem)
    print(f"{count} comparisons, {failures} failures")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
