#!/usr/bin/env python3
"""What times take in a trace.

Runs workloads with several modes of --timing and --error and prints the bytes
of each trace; for modes that keep every call, also the bits of a value: of the
times, which are two for each call, a duration and a gap. Histograms and the
directory of blocks are included. Ranks that share few cores wait for each other
in MPICH's busy loops; the build's lib/libpilgrim-test-yield.so is preloaded, so
times are those of such a machine.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODES = (("off", None), ("mean", None), ("calls", "10%"), ("calls", "1%"), ("calls", "0"))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release",
                        help="build folder (default %(default)s)")
    parser.add_argument("--mpiexec", default="mpiexec.mpich")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--iterations", type=int, default=2000, help="of each workload (default %(default)s)")
    parser.add_argument("workloads", nargs="*", default=["sedov", "lu", "cg", "pop", "stencil2d", "mg"])
    return parser.parse_args()


def info(options, workload, mode, error, folder):
    trace = pathlib.Path(folder) / f"{workload}.pilgrim"
    trace.unlink(missing_ok=True)
    tool = options.build / "bin/pilgrim"
    command = [options.mpiexec, "-n", str(options.ranks),
               "-genv", "LD_PRELOAD", options.build / "lib/libpilgrim-test-yield.so",
               tool, "run", "--timing", mode, *(["--error", error] if error else []), "--output", trace,
               options.build / "workloads" / workload, str(options.iterations)]
    subprocess.run(command, check=True, capture_output=True)
    return json.loads(subprocess.check_output([tool, "info", "--json", trace]))


def sectionBytes(about, name):
    section = about["sections"].get(name, {"raw": 0})
    return section.get("packed") or section["raw"]


def main():
    options = parse_arguments()
    names = [mode if error is None else f"{mode} {error}" for mode, error in MODES]
    print(f"{'workload':<12}{'calls':>10}" + "".join(f"{name:>12}" for name in names) + "   bits a value of each")
    with tempfile.TemporaryDirectory() as folder:
        for workload in options.workloads:
            runs = [info(options, workload, mode, error, folder) for mode, error in MODES]
            # What is in chunks without times is there with times as well.
            without = sectionBytes(runs[1], "chunks")
            bits = [8 * (sectionBytes(run, "times") + sectionBytes(run, "chunks") - without) / (2 * run["calls"])
                    for (mode, _), run in zip(MODES, runs) if mode == "calls"]
            print(f"{workload:<12}{runs[0]['calls']:>10}" + "".join(f"{run['bytes']:>12}" for run in runs) + "   "
                  + "  ".join(f"{b:.2f}" for b in bits), flush=True)


if __name__ == "__main__":
    main()
