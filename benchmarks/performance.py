#!/usr/bin/env python3
"""Writes docs/performance.md: what traces cost, measured here and now, with plots.

Trace bytes against ranks and against iterations, merge time and memory come from virtual ranks; what a call costs comes
from percall. With --upstream LIB, another tracer's library is preloaded into percall and into real runs of the
workloads, and its figures stand beside ours. Standard library only; plots are SVG.
"""

import argparse
import json
import math
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORKLOADS = "stencil2d stencil3d cg ft lu mg sp bt fdlf stirturb cellular sedov pop".split()
# Iterations that each workload has anyway, and more.
ITERATIONS = {"stencil2d": (10, 100, 1000, 10000), "cg": (1, 10, 100), "lu": (5, 50, 500), "sp": (4, 40, 400),
              "sedov": (20, 200, 2000), "pop": (6, 60, 600, 6000)}  # fmt: skip
# Not on virtual ranks, since calls depend on what arrives.
REAL = ["polling"]
# Irregular ones: with structure and without.
STRUCTURED = {"pop": (6, 20, 60, 200, 600), "sedov": (20, 40, 60, 200, 2000), "polling": (20, 30, 60, 200), "sp": (5, 20, 200)}
COLOURS = "#1f77b4 #ff7f0e #2ca02c #d62728 #9467bd #8c564b #e377c2 #7f7f7f #bcbd22 #17becf #393b79 #637939 #843c39".split()
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 400, 70, 130, 30, 50


class Failed(Exception):
    pass


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="build folder (default %(default)s)")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs", help="folder (default %(default)s)")
    parser.add_argument("--ranks", default="16,64,256,1024,4096,16384", help="virtual ranks (default %(default)s)")
    parser.add_argument("--workloads", default=",".join([*WORKLOADS, *REAL]), help="(default %(default)s)")
    parser.add_argument("--calls", type=int, default=10**6, help="iterations of percall (default %(default)s)")
    parser.add_argument("--most-iterations", type=int, default=10**9, help="no workload makes more (default: as many as the page shows)")
    parser.add_argument("--upstream", metavar="LIB", help="another tracer's library, to be preloaded")
    arguments = parser.parse_args()
    arguments.ranks = [int(n) for n in arguments.ranks.split(",")]
    arguments.workloads = arguments.workloads.split(",")
    for needed in ("bin/virtual-ranks", "bin/pilgrim", "workloads/percall"):
        if not (arguments.build / needed).exists():
            parser.error(f"no {needed} in {arguments.build}: build it, or use --build")
    if arguments.upstream and not os.path.exists(arguments.upstream):
        parser.error(f"no library at {arguments.upstream}")
    return arguments


def checked(command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    if done.returncode != 0:
        lines = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()
        raise Failed(f"{' '.join(map(str, command))}: exit code {done.returncode}: {lines[-1]}")
    return done


def virtual(arguments, folder, name, ranks, iterations=None):
    """Bytes, calls, seconds of merging and peak kB of a workload on virtual ranks."""
    trace = folder / "virtual.pilgrim"
    command = [arguments.build / "bin/virtual-ranks", "--workload", name, "--ranks", ranks, "--dynamic", "-o", trace]
    done = checked(command + (["--iterations", iterations] if iterations else []))
    found = re.search(r" merge ([\d.]+) s, (\d+) kB", done.stderr)
    if not found:
        raise Failed(f"virtual-ranks said: {done.stderr.strip()}")
    # Not as virtual-ranks counts: that counts the tracer's own calls too.
    calls = json.loads(checked([arguments.build / "bin/pilgrim", "info", "--json", trace]).stdout)["calls"]
    return {"bytes": trace.stat().st_size, "calls": calls, "merge": float(found[1]), "kb": int(found[2])}


def percall(arguments, *more):
    command = [sys.executable, ROOT / "benchmarks/percall.py", "--build", arguments.build, "--json", "--pairs", "5",
               "--iterations", arguments.calls, *more]  # fmt: skip
    return json.loads(checked(command).stdout)


def launcher(arguments, ranks):
    """Words in front of a preload list, and what belongs in it: ranks that wait in MPICH's busy loops yield."""
    yields = arguments.build / "lib/libpilgrim-test-yield.so"
    mpiexec = "mpiexec.mpich" if shutil.which("mpiexec.mpich") else "mpiexec"  # another MPI may be the machine's default
    return [mpiexec, "-n", ranks, "-genv", "LD_PRELOAD"], [str(yields)] if yields.exists() else []


def with_and_without(arguments, folder, name, iterations):
    """Bytes of a real run on 16 ranks, of a program that pilgrim-cc built: with its structure, and without."""
    program, trace = folder / name, folder / "structured.pilgrim"
    if not program.exists():
        checked([arguments.build / "bin/pilgrim-cc", "-O2", ROOT / f"benchmarks/workloads/{name}.c", "-o", program])
    launch, shim = launcher(arguments, 16)
    sizes = []
    for mode in ("auto", "dynamic"):
        checked([*launch, ":".join(shim), "env", f"PILGRIM_MODE={mode}", "PILGRIM_TIMING=off", f"PILGRIM_OUTPUT={trace}",
                 program, iterations])  # fmt: skip
        sizes.append(str(trace.stat().st_size))
    return " / ".join(sizes)


def real(arguments, folder, name, ranks):
    """Bytes of a real run on so many ranks: ours, and what the other tracer leaves in its folder, if the run ends well."""
    program, trace = arguments.build / "workloads" / name, folder / "real.pilgrim"
    launch, shim = launcher(arguments, ranks)
    preload = ":".join(shim)
    checked([*launch, preload, arguments.build / "bin/pilgrim", "run", "--timing", "off", "--output", trace, program])
    with tempfile.TemporaryDirectory() as theirs:
        try:
            checked([*launch, ":".join([*shim, os.path.abspath(arguments.upstream)]), program], cwd=theirs)
        except Failed:
            return trace.stat().st_size, "fails"
        left = sum(file.stat().st_size for file in pathlib.Path(theirs).rglob("*") if file.is_file())
    return trace.stat().st_size, left


# Plots.


def ticks(low, high):
    return [10**e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def short(value):
    for unit, size in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if value >= size:
            return f"{value / size:g}{unit}"
    return f"{value:g}"


def plot(path, title, across, up, lines):
    """lines: {name: [(x, y)]}, all above 0; both axes are logarithmic."""
    points = [p for line in lines.values() for p in line]
    (x0, x1), (y0, y1) = ((min(v), max(v)) for v in zip(*points))
    ys = ticks(y0, y1 if y1 > y0 else y0 * 10)
    span = lambda v, low, high: (math.log10(v) - math.log10(low)) / (math.log10(high) - math.log10(low) or 1)
    x = lambda v: LEFT + span(v, x0, x1) * (WIDTH - LEFT - RIGHT)
    y = lambda v: HEIGHT - BOTTOM - span(v, ys[0], ys[-1]) * (HEIGHT - TOP - BOTTOM)
    text = lambda at_x, at_y, what, more="": f'<text x="{at_x:.1f}" y="{at_y:.1f}" {more}>{what}</text>'
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>', text(LEFT, 18, title, 'font-weight="bold"')]  # fmt: skip
    for value in ys:
        out.append(f'<path d="M{LEFT} {y(value):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        out.append(text(LEFT - 6, y(value) + 4, short(value), 'text-anchor="end"'))
    values = sorted({p[0] for p in points})
    for value in values if len(values) < 8 else [v for v in ticks(x0, x1) if x0 <= v <= x1]:
        out.append(text(x(value), HEIGHT - BOTTOM + 18, value, 'text-anchor="middle"'))
    out.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, across, 'text-anchor="middle"'))
    out.append(text(14, HEIGHT / 2, up, f'text-anchor="middle" transform="rotate(-90 14 {HEIGHT / 2})"'))
    # Names beside the lines' ends, apart from each other: first downwards, then back up from the edge.
    order = sorted(lines, key=lambda name: y(lines[name][-1][1]))
    places = []
    for name in order:
        places.append(max([y(lines[name][-1][1]) + 4] + [p + 13 for p in places[-1:]]))
    for number in reversed(range(len(places))):
        places[number] = min([places[number], HEIGHT - 8] + [p - 13 for p in places[number + 1 : number + 2]])
    for number, name in enumerate(order):
        colour = COLOURS[number % len(COLOURS)]
        steps = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in lines[name])
        out.append(f'<polyline points="{steps}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        out.append(text(WIDTH - RIGHT + 28, places[number], name, f'fill="{colour}"'))
    path.write_text("\n".join([*out, "</svg>", ""]))


def table(head, rows):
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in ([head, ["---"] * len(head), *rows])]
    return "\n".join(lines) + "\n"


def by_ranks(arguments, folder, plots):
    found = {w: {n: virtual(arguments, folder, w, n) for n in arguments.ranks} for w in arguments.workloads if w not in REAL}
    figures = (("bytes", "Trace bytes against ranks", "bytes"), ("merge", "Merging", "seconds"), ("kb", "Memory", "kB"))
    for key, title, up in figures:
        lines = {w: [(n, max(f[key], 0.001)) for n, f in of.items()] for w, of in found.items()}
        plot(plots / f"ranks-{key}.svg", title, "virtual ranks", up, lines)
    last = arguments.ranks[-1]
    text = "## Ranks\n\nWeak scaling on virtual ranks, `--timing off`, without structure. Bytes of the whole file:\n\n"
    text += table(["workload", *arguments.ranks, f"calls on {last}", "merge, s", "peak memory, kB"],
                  [[w, *(of[n]["bytes"] for n in arguments.ranks), of[last]["calls"], f"{of[last]['merge']:.2f}", of[last]["kb"]]
                   for w, of in found.items()])  # fmt: skip
    text += f"\n(The last columns are for {last} ranks: all that one core needs to join them, and the memory of a process that is all ranks.)\n\n"
    return text + "".join(f"![{title}](performance/ranks-{key}.svg)\n" for key, title, _ in figures) + "\n"


def by_iterations(arguments, folder, plots):
    found = {w: [(i, virtual(arguments, folder, w, 64, i)["bytes"]) for i in steps if i <= arguments.most_iterations]
             for w, steps in ITERATIONS.items() if w in arguments.workloads}  # fmt: skip
    if not found:
        return ""
    plot(plots / "iterations.svg", "Trace bytes against iterations, 64 ranks", "iterations", "bytes", found)
    text = "## Iterations\n\n64 virtual ranks; bytes at so many iterations (what a workload calls one):\n\n"
    text += table(["workload", "bytes"], [[w, ", ".join(f"{i}: {b}" for i, b in line)] for w, line in found.items()])
    return text + "\n![Trace bytes against iterations](performance/iterations.svg)\n\n"


def per_call(arguments, folder):
    hybrid = folder / "percall"
    checked([arguments.build / "bin/pilgrim-cc", "-O2", "-o", hybrid, *(ROOT / "benchmarks/percall").glob("*.c")])
    columns = {"preloaded": percall(arguments), "built by `pilgrim-cc`": percall(arguments, "--hybrid", hybrid)}
    if arguments.upstream:
        columns["upstream"] = percall(arguments, "--preload", arguments.upstream)
    first = next(iter(columns.values()))
    rows = [[loop["loop"], *(c["loops"][i]["added_ns"] for c in columns.values())] for i, loop in enumerate(first["loops"])]
    rows.append(["(two reads of the clock alone)", *(c["clocks_ns"][c["clock"]] for c in columns.values())])
    return f"## Calls\n\nNanoseconds that tracing adds to one iteration, with timing; medians of {first['pairs']} pairs of " \
        f"{first['iterations']} iterations:\n\n" + table(["loop", *columns], rows) + "\n"  # fmt: skip


def by_structure(arguments, folder):
    if not (arguments.build / "bin/pilgrim-cc").exists():
        return ""
    rows = [[name, ", ".join(f"{n}: {with_and_without(arguments, folder, name, n)}" for n in each if n <= arguments.most_iterations)]
            for name, each in STRUCTURED.items() if name in arguments.workloads]  # fmt: skip
    text = "## Structure\n\nIrregular programs built by `pilgrim-cc -O2`, 16 ranks, `--timing off`; at so many iterations, bytes with the\n"
    text += "program's structure and names / without:\n\n"
    return text + table(["workload", "bytes"], rows) + "\n"


def beside_upstream(arguments, folder):
    if not arguments.upstream:
        return ""
    rows = [[w, *(f"{ours} / {theirs}" for ours, theirs in (real(arguments, folder, w, n) for n in (4, 16)))]
            for w in arguments.workloads]  # fmt: skip
    text = "## Beside upstream\n\nReal runs; bytes of our trace / of all files that the other tracer leaves:\n\n"
    return text + table(["workload", "4 ranks", "16 ranks"], rows) + "\n"


def main():
    arguments = parse_arguments()
    plots = arguments.output / "performance"
    plots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        text = "# What traces cost\n\nWritten by `benchmarks/performance.py`, which measures all of this again; "
        text += f"here on {os.cpu_count()} cores ({platform.machine()}). Virtual ranks run the same wrappers, merge and\n"
        text += "format as real ones and give the same traces (`benchmarks/README.md`).\n\n"
        text += by_ranks(arguments, folder, plots) + by_iterations(arguments, folder, plots)
        text += by_structure(arguments, folder) + per_call(arguments, folder) + beside_upstream(arguments, folder)
    new = arguments.output / "performance.md.new"
    new.write_text(text.rstrip() + "\n")
    os.replace(new, arguments.output / "performance.md")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as problem:
        sys.exit(f"performance.py: {problem}")
