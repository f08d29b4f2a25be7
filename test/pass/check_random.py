"""Builds random programs with the plugin, in several ways, and checks that they tell what they do.

    python3 check_random.py --clang CLANG --plugin PLUGIN --output DIR [--programs N] [--functions N] [--seed N]

Each program runs without the plugin, and with it at several levels of optimisation over CheckRuntime.cpp, which fails
where a path number does not agree with the calls. The output must be the same. A long run by hand: --programs 500.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
WAYS = [["-O0"], ["-O2", "-g"], ["-O1", "-fopenmp-simd"], ["-O3", "-flto"], ["-Os", "-g", "-flto=thin"]]


def run(command, check=True, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, errors="replace", timeout=500, **options)
    if check and (done.returncode or (done.stderr and "clang" in str(command[0]))):
        sys.exit(f"{' '.join(map(str, command))}\nends with {done.returncode}:\n{done.stderr}")
    return done


def check(options, library, seed):
    language = "c++" if seed % 3 == 0 else "c"
    folder = options.output / f"program{seed}"
    generator = [sys.executable, HERE / "random_program.py", "--seed", seed, "--functions", options.functions]
    run(generator + ["--language", language, "--output", folder])
    compiler = [options.clang] + (["--driver-mode=g++"] if language == "c++" else [])
    sources = [folder / f"part{part}{'.cpp' if language == 'c++' else '.c'}" for part in range(3)]
    link = [library, f"-Wl,-rpath,{library.parent}", "-fuse-ld=lld"]
    run(compiler + ["-w", "-O1", *sources, "-o", folder / "plain", *link])
    ways = WAYS if options.all_ways else [WAYS[0], WAYS[1 + seed % (len(WAYS) - 1)]]
    objects = {number: [Path(f"{source}.{number}.o") for source in sources] for number in [*range(len(ways)), "cut"]}
    for number, flags in enumerate(ways):
        for source, target in zip(sources, objects[number]):
            run(compiler + ["-w", *flags, f"-fpass-plugin={options.plugin}", "-c", source, "-o", target])
    # Once with cuts nearly everywhere. The compiler as it is installed does not verify.
    opt = Path(shutil.which(options.clang)).resolve().parent / "opt"
    for source, target in zip(sources, objects["cut"]):
        early, late = Path(f"{source}.bc"), Path(f"{source}.cut.bc")
        run(compiler + ["-O1", "-g", "-w", "-emit-llvm", "-Xclang", "-disable-llvm-passes", "-c", source, "-o", early])
        for limit, result in ("", os.devnull), (f"<{2 + seed % 7}>", late):
            run([opt, f"-load-pass-plugin={options.plugin}", f"-passes=pilgrim{limit},verify", early, "-o", result])
        run(compiler + ["-O2", "-c", late, "-o", target])
    calls = 0
    for number, parts in objects.items():
        program = folder / f"with-{number}"
        flags = [] if number == "cut" else ways[number]
        run(compiler + [*flags, *parts, "-o", program, *link])
        for argument, marked in [(1, "all"), (2, "none"), (3, "7"), (4, "all")]:
            plain = run([folder / "plain", argument], check=False)
            done = run([program, argument], check=False, env={"PILGRIM_CHECK_FLAGS": marked})
            if done.returncode == 86 or (done.returncode, done.stdout) != (plain.returncode, plain.stdout):
                print(f"{program} {flags}, argument {argument}, flags {marked}: {done.returncode}, {done.stderr}")
                return None
            if "check: 1 modules" not in done.stderr:
                print(f"seed {seed}: {done.stderr}")
                return None
            calls += int(done.stderr.split(" calls")[0].split()[-1])
    return calls


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--clang", required=True)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--programs", type=int, default=9)
    parser.add_argument("--functions", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all-ways", action="store_true")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    library = options.output.resolve() / "libcheck.so"
    compiler = [options.clang, "--driver-mode=g++", "-std=c++20", "-O1", "-g", "-Wall", "-Wextra", "-shared", "-fPIC"]
    run(compiler + [f"-I{HERE.parent.parent}", HERE / "CheckRuntime.cpp", "-o", library])
    calls, failed = 0, 0
    for seed in range(options.seed, options.seed + options.programs):
        checked = check(options, library, seed)
        failed += checked is None
        calls += checked or 0
    print(f"{options.programs} programs, {options.programs * options.functions} functions, {calls} calls, {failed} failed")
    sys.exit(failed != 0 or calls == 0)


main()
