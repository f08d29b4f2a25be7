#!/usr/bin/env python3
"""What times take in a trace.

Runs workloads with several modes of --timing and --error and prints the bytes
of each trace; for modes that keep every call, also the bits of a value: of the
times, which are two for each call, a duration and a gap. Histograms and the
directory of blocks are included. Ranks that share few cores wait for each other
in MPICH's busy loops; the build's lib/libpilgrim-test-yield.so is preloaded, so
times are those of such a machine.

--codings compares the codings of published tracers with ours instead. Exact
times of one run of each workload are coded in every way (bin/time-codings), so
all have the same times: bits of a value, the quality (PSNR) of durations and
gaps, and the time that coding takes. And each mode runs once: the seconds that
joining and writing the trace took at the end.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
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
    parser.add_argument("--codings", action="store_true", help="compare all codings of the times of calls")
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


def summarySeconds(options, workload, mode, folder):
    """Of a run with a mode: what the summary at its end says; None: this build does not have the mode."""
    trace = pathlib.Path(folder) / "mode.pilgrim"
    trace.unlink(missing_ok=True)
    command = [options.mpiexec, "-n", str(options.ranks),
               "-genv", "LD_PRELOAD", options.build / "lib/libpilgrim-test-yield.so",
               options.build / "bin/pilgrim", "run", "--timing", *mode, "--output", trace,
               options.build / "workloads" / workload, str(options.iterations)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    if "not in this build" in done.stderr:
        return None
    return float(re.search(r"rules?, ([0-9.]+) s", done.stderr)[1])


# Modes of a run by the names of time-codings.
RUNS = {("calls", "10%"): ["calls"], ("hist-by-path", "10%"): ["hist"],
        ("hist-by-signature", "10%"): ["hist", "--cluster", "signature"], ("cfg", "10%"): ["cfg"], ("sz", "10%"): ["sz"],
        ("sz-by-path", "10%"): ["sz-clustered"], ("sz-by-signature", "10%"): ["sz-clustered", "--cluster", "signature"],
        ("zfp", "10us,10us"): ["zfp"], ("zfp-by-path", "10us,10us"): ["zfp-clustered"],
        ("zfp-by-signature", "10us,10us"): ["zfp-clustered", "--cluster", "signature"],
        ("calls", "0"): ["calls", "--error", "0"], ("zstd", "0"): ["zstd"]}


def codings(options):
    rows, worse = {}, []
    with tempfile.TemporaryDirectory() as folder:
        for workload in options.workloads:
            about = info(options, workload, "calls", "0", folder)
            trace = pathlib.Path(folder) / f"{workload}.pilgrim"
            lines = subprocess.check_output([options.build / "bin/time-codings", trace], text=True).splitlines()
            bits = {}
            for name, error, bitsOfValue, durations, gaps, nano in map(str.split, lines):
                end = summarySeconds(options, workload, RUNS[name, error], folder) if (name, error) in RUNS else None
                bits[name, error] = float(bitsOfValue)
                rows.setdefault((name, error), []).append(
                    (bitsOfValue, durations, gaps, nano, "" if end is None else f"{end:.3f}"))
            worse += [f"{workload}: {name} {error}" for name, error in bits
                      if name.endswith("-by-path") and bits[name, error] > bits.get((name[:-8], error), 1e9)]
            print(f"{workload}: {about['calls']} calls", file=sys.stderr)
    for column, title in enumerate(("bits of a value", "PSNR of durations [dB]", "PSNR of gaps [dB]",
                                    "coding [ns a call]", "seconds at the end")):
        print(f"\n| {title} | error | " + " | ".join(options.workloads) + " |")
        print("| --- | --- |" + " --- |" * len(options.workloads))
        for (name, error), values in rows.items():
            print(f"| {name} | {error} | " + " | ".join(value[column] for value in values) + " |")
    if worse:
        sys.exit("by path worse than in turn: " + ", ".join(worse))


def sectionBytes(about, name):
    section = about["sections"].get(name, {"raw": 0})
    return section.get("packed") or section["raw"]


def main():
    options = parse_arguments()
    if options.codings:
        return codings(options)
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
