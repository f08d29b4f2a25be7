#!/usr/bin/env python3
"""Whether each call stands in the tree where a debugger shows it.

Runs a program that pilgrim-cc built, with a small library before it that takes
a backtrace at every MPI call. The chains of functions and lines that lead to
the calls, and how often they do, are then compared with those of
'pilgrim tree --json --system'. The program needs -g, and is best built with
-fno-optimize-sibling-calls: a tail call leaves no frame to see.

  places.py --pilgrim build/release/bin/pilgrim -- mpiexec.mpich -n 4 ./app

Calls of each rank's first thread are compared, and those of its other threads,
of all together. Prints the chains that differ; the exit code is 1 if there are
any.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

UNKNOWN, REGION = "?", "region"
HERE = pathlib.Path(__file__).resolve().parent


def build_recorder(folder, mpicc, mpi):
    """A library whose MPI_ functions note the stack and jump to the real ones."""
    names = subprocess.run(["nm", "-D", "--defined-only", mpi], capture_output=True, text=True, check=True).stdout
    untraced = {l.split()[0] for l in (HERE.parent.parent / "api/mpi/untraced.txt").read_text().splitlines() if l.startswith("MPI_")}
    # Handles of C and Fortran: the bindings' own business.
    untraced |= {n for n in re.findall(r"\bMPI_\w+_(?:c2f|f2c)\b", names)}
    names = sorted({line.split()[-1].split("@")[0] for line in names.splitlines() if re.search(" [TW] MPI_[A-Z]", line)} - untraced)
    (folder / "names.inc").write_text("".join(f"ENTRY({i}, {n})\n" for i, n in enumerate(names)))
    library = folder / "places.so"
    subprocess.run([mpicc, "-O1", "-g", "-fPIC", "-shared", "-pthread", f"-I{folder}", f"-DENTRIES={len(names)}", "-o", library,
                    HERE / "Stacks.c", "-ldl"], check=True)
    return library


def symbolize(program, addresses):
    """For each address the functions that it is in, outermost first, each with its line."""
    addresses = sorted(addresses)
    asked = "".join(f"{a:#x}\n" for a in addresses)
    out = subprocess.run([os.environ.get("LLVM_SYMBOLIZER", "llvm-symbolizer-19"), "--obj", program, "--output-style=JSON", "--inlines"],
                         input=asked, capture_output=True, text=True, check=True).stdout
    frames = {}
    for address, line in zip(addresses, filter(None, out.splitlines())):
        symbols = json.loads(line)["Symbol"]
        # One of the underscores that Fortran's names end with is not the program's.
        frames[address] = [(re.sub(r"_( \(\.pilgrim\)|\.pilgrim)?$", r"\1", s["FunctionName"]), pathlib.Path(s["FileName"]).name, s["Line"]) for s in reversed(symbols)]
    return frames


def plain(name):
    """A function's name without its parameters and template arguments, as both sides can say it."""
    # What OpenMP makes a function of is a region in the tree: a parallel region, a task region.
    if re.search(r"\.omp_outlined|\.omp_task|\.\.omp_par|\bregion$", name):
        return REGION
    name = name.replace(" (.pilgrim)", "").removesuffix(".pilgrim")
    if re.fullmatch(r"_Q([MSFP][a-z0-9_]*)+", name): # flang's: of modules, submodules, hosts and procedures
        return "::".join(filter(None, re.split("[MSFP]", name[2:])))
    name = re.sub(r"\(anonymous namespace\)::", "", name)
    name = re.sub(r"\[abi:\w+\]", "", name)
    depth, out = 0, ""
    for c in name.replace("operator<<", "operator").replace("operator()", "operator"):
        depth += c in "<("
        if not depth:
            out += c
        depth -= c in ">)" and depth > 0
    words = out.replace(" const", "").split()
    return words[-1] if words else name


class Name(str):
    """A plain name that knows which function it is of: of several with one name, one may call another."""

    def __new__(cls, name, shown=None):
        self = super().__new__(cls, shown or plain(name))
        self.of = re.sub(r" \(\.pilgrim\)|\.pilgrim$", "", name) if "(" in name else str(self)
        return self

    def is_among(self, frames):
        return self.of in [name.of for name, _ in frames]


OTHERS = [(Name("", "another thread"), 0)] # before what is called there


def is_library(name):
    """Of C++, or MPI: what it does in between is left out on both sides."""
    return re.match("std::|__gthread_|MPI_|mpi_", name) is not None


def place(address):
    """Of a return address, where the call is."""
    return int(address.split(":")[1], 16) - 1


def seen_chains(folder, modules):
    """modules: paths of the program, whose name is "", and of libraries, by the names that the recorder gives them."""
    lines = [l.split() for f in folder.glob("stacks.*") for l in f.read_text().splitlines()]
    frames = {}
    for name, path in modules.items():
        own = {a for l in lines for a in l[3:] if a.startswith(name + ":")}
        found = symbolize(path, {place(a) for a in own})
        frames |= {a: found.get(place(a), []) for a in own}
    chains = collections.Counter()
    for count, is_other, function, *addresses in lines:
        chain = []
        for address in reversed(addresses):
            chain += frames.get(address, [])
        # From main on. A Fortran main program has one of the compiler's around it.
        while chain and (chain[0][0] in ("_start", "??", "") or (chain[0][0] == "main" and len(chain) > 1 and plain(chain[1][0]) in ("_QQmain", "MAIN_", "MAIN"))):
            chain.pop(0)
        # A function whose markers are in a copy of it calls that.
        chain = [c for c, inner in zip(chain, chain[1:] + [("",)]) if not (".pilgrim" in inner[0] and ".pilgrim" not in c[0] and plain(c[0]) == plain(inner[0]))]
        named = [(Name(name), line) for name, _, line in chain]
        named = [c for c in named if not is_library(c[0])]
        named = [c for c, inner in zip(named, named[1:] + [("", 0)]) if not c[0] == inner[0] == REGION]
        # Recursion has no node of its own in the tree: what it calls stands where it was called first.
        if named and is_other == "0":
            named[0] = (Name("main"), named[0][1]) # Fortran's has the program's name
        chain = tuple(f for i, f in enumerate(named) if f[0] == REGION or not f[0].is_among(named[:i]))
        chains[(tuple(OTHERS) if is_other == "1" else ()) + chain, function] += int(count)
    return chains


def tree_chains(tree, may_lack_lines):
    chains = collections.Counter()

    def walk(node, chain, in_library=False):
        kind = node["kind"]
        name = Name((node["name"].removesuffix("_") if kind == "call" else node["name"]) if node.get("name") else UNKNOWN)
        others = None # of a call: where what is not in the function that it names stands
        if kind == "function" and is_library(name):
            in_library = True
        elif kind == "function":
            in_library = False
            name = name if chain else Name("main")
            if may_lack_lines and chain and chain[-1][1] is None and not chain[-1][0] == name == REGION:
                chain = chain[:-1] + [[chain[-1][0], UNKNOWN]]
            if name == REGION or not name.is_among(chain):
                chain = chain + [[name, None]]
        elif kind == "call" and chain:
            if chain[-1][1] != UNKNOWN and not in_library:
                chain = chain[:-1] + [[chain[-1][0], node.get("line")]]
            # A function without markers, or recursion: it has no node, and what is below it no line in it.
            if name != "computed call" and not is_library(name):
                others = chain + [[name, UNKNOWN]] if not name.is_among(chain) else chain[:-1] + [[chain[-1][0], UNKNOWN]]
        elif kind == "mpi":
            if chain and chain[-1][1] != UNKNOWN and not in_library:
                chain = chain[:-1] + [[chain[-1][0], node.get("line")]]
            chains[tuple(map(tuple, chain)), node["name"]] += node["calls"]
        for child in node["children"]:
            walk(child, chain if child["kind"] == "function" and Name(child["name"]).of == name.of else others or chain, in_library)

    for thread in tree["threads"]:
        walk(thread, list(OTHERS) if thread["thread"] else [])
    return chains


def without_directives(chains):
    """Fork calls of OpenMP's library: a debugger shows the region's last line, the tree that of its directive."""
    out = collections.Counter()
    for (chain, function), count in chains.items():
        inner = chain[1:] + ((None, 0),)
        out[tuple((f[0], 0 if i[0] == REGION and f[1] != UNKNOWN else f[1]) for f, i in zip(chain, inner)), function] += count
    return out


def from_regions(chains):
    """Directly nested regions as the inner one. Of other threads the chain from the innermost region on: a debugger sees
    where OpenMP's library began it, the tree has it below the place that the region was forked at."""
    out = collections.Counter()
    for (chain, function), count in chains.items():
        # What a computed call leads to may be recursion, which is nothing between them.
        behind = [name for name, _ in chain[1:]] + [None, None]
        chain = tuple(c for i, c in enumerate(chain) if not (c[0] == REGION and REGION in (behind[i], behind[i] == UNKNOWN and behind[i + 1])))
        regions = [i for i, (name, _) in enumerate(chain) if name == REGION]
        if chain[:1] == tuple(OTHERS) and regions:
            chain = chain[:1] + chain[regions[-1]:]
        out[chain, function] += count
    return out


def last_components(chains):
    """Of Fortran, debug information may not say the module."""
    short = collections.Counter()
    for (chain, function), count in chains.items():
        short[tuple((name.split("::")[-1], line) for name, line in chain), function] += count
    return short


def fits(pattern, chain):
    """Frames in the tree as they were seen. Behind one whose line is unknown there may be others without markers."""
    if not pattern:
        return not chain
    (name, line), rest = pattern[0], pattern[1:]
    if name == UNKNOWN: # any functions, or none
        return any(fits(rest, chain[n:]) for n in range(len(chain) + 1))
    if not chain or chain[0][0] != name or (line not in (UNKNOWN, chain[0][1]) and chain[0][1]):
        return False # line 0: the optimiser has made one of several calls
    return any(fits(rest, chain[n:]) for n in (range(1, len(chain) + 1) if line == UNKNOWN else [1]))


def assigned(wanted, fitting, left):
    """How many of each key go to each pattern that it fits, as many as can: keys make room for others (Ford, Fulkerson)."""
    flow = collections.Counter()
    for start in fitting:
        while wanted[start]:
            before, queue, end = {}, [(start, None)], None
            for key, behind in queue:
                for p in fitting[key]:
                    if p in before:
                        continue
                    before[p] = key, behind
                    if left[p]:
                        end = p
                        break
                    queue += [(k, p) for (k, q), count in flow.items() if q == p and count]
                if end:
                    break
            if not end:
                break
            way, p = [], end
            while p:
                way.append((*before[p], p))
                p = before[p][1]
            amount = min(wanted[start], left[end], *(flow[key, behind] for key, behind, _ in way if behind))
            for key, behind, p in way:
                flow[key, p] += amount
                if behind:
                    flow[key, behind] -= amount
            wanted[start] -= amount
            left[end] -= amount
    return flow


def with_unknown_lines(shown, seen):
    """The seen chains with lines as unknown as they are in the tree, or the other way round. A chain stands where the
    tree says the same, as often as it does there; else at one that it fits, of several at the one that says most."""
    left = collections.Counter(shown)
    chains, others = collections.Counter(), collections.Counter()
    for key, count in seen.items():
        taken = min(count, left[key])
        left[key] -= taken
        chains[key] += taken
        others[key] += count - taken
    patterns = sorted(+left, key=lambda k: (-len(k[0]), [line for _, line in k[0]].count(UNKNOWN)))
    fitting = {key: [p for p in patterns if p != key and p[1] == key[1] and fits(p[0], key[0])] for key in +others}
    fitting = dict(sorted(fitting.items(), key=lambda item: len(item[1])))
    for (_, p), count in assigned(others, fitting, left).items():
        chains[p] += count
    for key, of in fitting.items():
        chains[of[0] if of and key not in shown else key] += others[key]
    return +chains


def text(chain, function):
    return " -> ".join(f"{name}:{line}" for name, line in chain) + " -> " + function


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pilgrim", default="pilgrim")
    parser.add_argument("--mpicc", default="mpicc.mpich")
    parser.add_argument("--mpi", default="/usr/lib/x86_64-linux-gnu/libmpich.so.12", help="the MPI library")
    parser.add_argument("--program", help="the traced program, if it is not the last but arguments")
    parser.add_argument("--library", action="append", default=[], metavar="FILE", help="a library of the program that pilgrim-cc built, too")
    parser.add_argument("--without-lines", action="store_true",
                        help="a function may stand in another one without a line, as what a computed call in a loop leads to")
    parser.add_argument("--most", type=int, default=10, help="print so many differences (default %(default)s)")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    program = options.program or next(w for w in command[1:] if os.path.exists(w) and os.access(w, os.X_OK) and not os.path.isdir(w))
    modules = {"": program} | {os.path.basename(library): library for library in options.library}
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        library = build_recorder(folder, options.mpicc, options.mpi)
        trace = folder / "app.pilgrim"
        preload = " ".join([str(library)] + os.environ.get("PLACES_PRELOAD", "").split()).replace(" ", ":")
        env = dict(os.environ, PILGRIM_OUTPUT=str(trace), PILGRIM_TIMING="off", PLACES_OUTPUT=str(folder / "stacks"), PLACES_LIBRARY=preload,
                   PLACES_LIBRARIES=" ".join(filter(None, modules)), PLACES_MPI=pathlib.Path(options.mpi).name)
        run = subprocess.run(["env", f"LD_PRELOAD={preload}"] + command, env=env, capture_output=True, text=True)
        if not trace.exists():
            print(run.stdout[-1000:], run.stderr[-2000:], sep="")
            print("places: the run left no trace")
            return 2
        tree = subprocess.run([options.pilgrim, "tree", "--json", "--system", "--all", str(trace)], capture_output=True, text=True, check=True).stdout
        shown, seen = tree_chains(json.loads(tree), options.without_lines), seen_chains(folder, modules)
    finally:
        shutil.rmtree(folder)
    shown, seen = without_directives(from_regions(shown)), without_directives(from_regions(seen))
    if not any("::" in name for chain, _ in seen for name, _ in chain):
        shown = last_components(shown)
    seen = with_unknown_lines(shown, seen)
    different = [k for k in sorted(set(shown) | set(seen), key=str) if shown[k] != seen[k]]
    for chain, function in different[:options.most]:
        print(f"in the tree {shown[chain, function]}, seen {seen[chain, function]}: {text(chain, function)}")
    wrong = sum(max(0, seen[k] - shown[k]) for k in different)
    print(f"{len(seen)} places, {sum(seen.values())} calls; {len(different)} places differ, {wrong} calls stand elsewhere")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
