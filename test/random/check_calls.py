#!/usr/bin/env python3
"""Random programs (Program.c) must be traced as they run, and be replayed and made into proxies that make equal calls.

    check_calls.py --bin DIR --output DIR --mpicc CC --mpiexec CMD [--programs N] [--seed N]
                   [--flags F] [--extrapolate A,B,C:Q]

Each program runs under strict --verify, on 1 to 8 ranks, with structure or without, with a way of timing. Where its
calls may complete in any order, diff is --relaxed. --extrapolate: instead, traces on A, B and C ranks are extrapolated to
Q, which must be refused or equal the trace on Q ranks. A long run by hand: --programs 500.
"""

import argparse
import os
import random
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("bin", "output"):
        parser.add_argument(f"--{name}", type=lambda text: Path(text).resolve(), required=True)
    for name in ("mpicc", "mpiexec"):
        parser.add_argument(f"--{name}", type=shlex.split, required=True)
    parser.add_argument("--programs", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1, help="of the first program")
    parser.add_argument("--flags", help="of Program.c, instead of chosen ones")
    parser.add_argument("--extrapolate", metavar="A,B,C:Q")
    return parser.parse_args()


class Failure(Exception):
    pass


class Check:
    def __init__(self, options):
        self.options = options
        self.mpicc = options.mpicc
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("PILGRIM") and k != "LD_PRELOAD"}
        self.environment |= {"PILGRIM_LOG": "error", "PROXY_FILES": "recorded",
                             "PATH": f"{options.bin}:{os.environ['PATH']}"}  # fmt: skip
        self.launch = options.mpiexec
        options.output.mkdir(parents=True, exist_ok=True)
        sources = sorted(HERE.glob("*.c"))
        self.programs = {"s": options.output / "structured", "p": options.output / "plain"}
        for how, compiler in (("s", [options.bin / "pilgrim-cc"]), ("p", self.mpicc)):
            self.run([*compiler, "-w", "-O1", "-g", "-o", self.programs[how], *sources, "-pthread"], options.output)

    def run(self, command, folder, **more):
        """What it prints; it must end well."""
        command = [str(c) for c in command]
        done = subprocess.run(command, cwd=folder, env=self.environment | more, capture_output=True, text=True,
                              errors="replace", stdin=subprocess.DEVNULL, timeout=500)  # fmt: skip
        if done.returncode:
            lines = (done.stdout + done.stderr).strip().splitlines()[-4:]
            raise Failure(f"{shlex.join(command)}\n  ends with {done.returncode}\n  " + "\n  ".join(lines))
        return done.stdout + done.stderr

    def trace(self, ranks, program, folder, name, **more):
        out = self.run([*self.launch, "-n", ranks, *program], folder, PILGRIM_OUTPUT=str(folder / name), **more)
        if any("agree" not in line for line in out.splitlines()):
            raise Failure(f"{name}: the traced run says: {out[-400:]}")

    def program(self, chance, arguments):
        how = chance.choice("sp")
        run = [] if how == "s" else [self.options.bin / "pilgrim", "run", "--"]
        return how, [*run, self.programs[how], *arguments]

    def equal(self, folder, name, relaxed):
        out = self.run([self.options.bin / "pilgrim", "diff", *(["--relaxed"] if relaxed else []), "a.pilgrim", name], folder)
        if out.strip() and not relaxed:
            raise Failure(f"{name} differs: {out[-600:]}")

    def again(self, seed, folder):
        """Returns how it was run."""
        chance = random.Random(seed)
        flags = self.options.flags
        if flags is None:
            flags = "".join(f for f, c in (("w", 0.6), ("f", 0.4), ("a", 0.25), ("t", 0.25)) if chance.random() < c)
        ranks, steps = chance.choice([1, 2, 3, 4, 4, 5, 6, 8]), chance.choice([5, 20, 20, 60])
        how, program = self.program(chance, [seed, steps, flags or "-"])
        more = {"PILGRIM_VERIFY": "strict"}
        if chance.random() < 0.3:
            more["PILGRIM_TIMING"] = chance.choice(["off", "calls", "path-histogram"])
        try:
            self.trace(ranks, program, folder, "a.pilgrim", **more)
            tool, relaxed = self.options.bin / "pilgrim", bool(set(flags) & set("at"))
            replay = [tool, "run", "--", self.options.bin / "pilgrim-replay", "--files", "recorded", "a.pilgrim"]
            self.run([*self.launch, "-n", ranks, *replay], folder, PILGRIM_OUTPUT=str(folder / "replay.pilgrim"))
            self.equal(folder, "replay.pilgrim", relaxed)
            self.run([tool, "proxy", "a.pilgrim", "-o", "proxy.c"], folder)
            self.run([*self.mpicc, "-O0", "-Wall", "-Wextra", "-Werror", "-pthread", "-o", "proxy", "proxy.c"], folder)
            self.trace(ranks, [tool, "run", "--", "./proxy"], folder, "proxy.pilgrim")
            self.equal(folder, "proxy.pilgrim", relaxed)
        except Failure as failure:
            raise Failure(f"seed {seed}, {ranks} ranks, {steps} steps, {flags or '-'}, {how}, {more}: {failure}") from None

    def extrapolate(self, seed, folder):
        """Returns whether it was refused."""
        chance = random.Random(seed)
        counts, to = self.options.extrapolate.split(":")
        counts = counts.split(",")
        flags = self.options.flags or chance.choice(["r", "rw", "rf", "rwf"])
        how, program = self.program(chance, [seed, chance.choice([1, 2, 4, 8]), flags])
        for ranks in (*counts, to):
            self.trace(ranks, program, folder, f"{ranks}.pilgrim" if ranks != to else "a.pilgrim")
        command = [self.options.bin / "pilgrim", "extrapolate", *(f"{c}.pilgrim" for c in counts), "--ranks", to, "-o", "made"]
        done = subprocess.run([str(c) for c in command], cwd=folder, env=self.environment, capture_output=True, text=True)
        if done.returncode == 2 and done.stderr:
            return True
        if done.returncode:
            raise Failure(f"seed {seed}: extrapolate ends with {done.returncode}: {done.stderr[-400:]}")
        try:
            self.equal(folder, "made", False)
        except Failure as failure:
            raise Failure(f"seed {seed}, {flags}, {how}: {failure}") from None
        return False

    def one(self, seed):
        folder = self.options.output / str(seed)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        try:
            refused = (self.extrapolate if self.options.extrapolate else self.again)(seed, folder)
        except (Failure, subprocess.TimeoutExpired) as failure:
            return str(failure), False
        shutil.rmtree(folder)
        return None, refused


def main():
    options = parse_arguments()
    check = Check(options)
    failed = refused = 0
    with ThreadPoolExecutor(2) as pool:
        for failure, was_refused in pool.map(check.one, range(options.seed, options.seed + options.programs)):
            if failure:
                print(failure, flush=True)
            failed += failure is not None
            refused += bool(was_refused)
    print(f"{options.programs} programs, {refused} refused, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
