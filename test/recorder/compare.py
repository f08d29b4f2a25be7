#!/usr/bin/env python3
"""Compares what the recorder wrote with what a trace of the same run says.

    compare.py --recorded PREFIX --trace T.pilgrim --pilgrim PATH

Reads PREFIX.<world rank>, runs `pilgrim print --json T.pilgrim`, leaves out the
functions that the recorder does not cover (covered.txt), and compares call by
call and parameter by parameter. Exit code 0: everything agrees, 1: differences,
the first of them printed, 2: there is nothing to compare.

Names of objects agree up to a renaming: one of the recorder's objects is one of
the trace's, and a name may pass to another object only in a parameter where a
call creates it. Buffers are addresses here and segment + offset there: each
segment has a base address, which stays the same for "stack" of a thread and
for "data:..." and may change for others, because memory is freed and allocated
(--constant-segments: for a program that never does).
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent

OBJECT = re.compile(r"(other-)?(comm|type|group|op|win|file|message|info|req)\d+")
LOCATION = re.compile(r"(.*?)([+-](?:0x[0-9a-f]+|\d+))?")

# Parameters in which a call creates the object.
CREATING = {
    "newcomm", "newintercomm", "newintracomm", "comm_cart", "comm_dist_graph",
    "newtype", "newgroup",
    "MPI_Comm_group group", "MPI_Op_create op", "MPI_Win_create win",
    "MPI_Win_allocate win", "MPI_File_open fh", "MPI_Mprobe message",
    "MPI_Info_create info",
}  # fmt: skip
# All other parameters `request` create.
USING_REQUEST = {"MPI_Wait", "MPI_Test", "MPI_Start", "MPI_Request_free"}

# Where the standard has two names for one thing.
ALIASES = {
    "MPI_LONG_LONG": "MPI_LONG_LONG_INT",
    "MPI_C_COMPLEX": "MPI_C_FLOAT_COMPLEX",
}


def creates(function, parameter):
    if parameter == "request":
        return function not in USING_REQUEST
    return parameter in CREATING or f"{function} {parameter}" in CREATING


def plain(text):
    """Of two names for one thing the first; flags in an order of ours."""
    if text.startswith("MPI_") and "|" in text:
        return "|".join(sorted(text.split("|")))
    return ALIASES.get(text, text)


class Differs(Exception):
    pass


class Objects:
    """Which name of the trace stands for which of the recorder's, and back."""

    def __init__(self):
        self.traced = {}
        self.recorded = {}

    def bind(self, recorded, traced):
        old = self.recorded.pop(traced, None)
        if old is not None:
            del self.traced[old]
        old = self.traced.pop(recorded, None)
        if old is not None:
            del self.recorded[old]
        self.traced[recorded] = traced
        self.recorded[traced] = recorded

    def check(self, recorded, traced, creating):
        if not isinstance(traced, str) or traced.startswith("MPI_"):
            raise Differs
        known = self.traced.get(recorded)
        if known == traced:
            return
        # What the recorder did not see made it did not see freed either.
        if creating or recorded.startswith("other-"):
            self.bind(recorded, traced)
        elif known is not None:
            raise Differs(f"so far this object was {known}")
        elif traced in self.recorded:
            raise Differs(f"{traced} is another object, {self.recorded[traced]}")
        else:
            raise Differs("its name was given to another object")


class Functions:
    """Addresses of callbacks and their names, which stay the same."""

    def __init__(self):
        self.names = {}

    def check(self, address, name):
        if not isinstance(name, str) or self.names.setdefault(address, name) != name:
            raise Differs


class Segments:
    """Base addresses of a rank's segments."""

    def __init__(self, constant):
        self.constant = constant
        self.bases = {}
        self.locations = {}
        self.rebound = 0
        self.raw = 0

    def check(self, address, traced, thread):
        # Memory of which a trace knows nothing has the address itself.
        if isinstance(traced, str) and re.fullmatch("0x[0-9a-f]+", traced):
            if int(traced, 16) != address:
                raise Differs
            self.raw += 1
            return
        match = LOCATION.fullmatch(traced) if isinstance(traced, str) else None
        if not match or traced.startswith("MPI_"):
            raise Differs
        segment, offset = match[1], int(match[2] or "0", 0)
        key = (segment, thread) if segment.startswith("stack") else segment
        base = address - offset
        known = self.bases.setdefault(key, base)
        if known != base:
            if self.constant or segment.startswith(("stack", "data:")):
                at = f"{segment} began at {known:x}, now at {base:x}"
                raise Differs(at)
            self.bases[key] = base
            self.rebound += 1
        if self.constant:
            place = self.locations.setdefault(address, (key, offset))
            if place != (key, offset):
                raise Differs(f"so far this address was {place[0]}+{place[1]}")


class Rank:
    """Compares the calls of one rank."""

    def __init__(self, rank, constant):
        self.rank = rank
        self.objects = Objects()
        self.requests = collections.defaultdict(Objects)  # by thread
        self.segments = Segments(constant)
        self.functions = Functions()
        self.differences = []
        self.count = collections.Counter()

    def differ(self, thread, index, what):
        self.differences.append(f"rank {self.rank} thread {thread} call {index}: {what}")

    def value(self, recorded, traced, thread, creating=False):
        if recorded == "?":
            self.count["unknown"] += 1
        elif isinstance(recorded, list):
            if not isinstance(traced, list) or len(recorded) != len(traced):
                raise Differs
            for one, other in zip(recorded, traced):
                self.value(one, other, thread)
        elif isinstance(recorded, dict):
            self.status(recorded, traced, thread)
        elif isinstance(recorded, str) and recorded.startswith("buf:"):
            self.count["buffers"] += 1
            self.segments.check(int(recorded[4:], 16), traced, thread)
        elif isinstance(recorded, str) and recorded.startswith("fn:"):
            self.functions.check(recorded, traced)
        elif isinstance(recorded, str) and OBJECT.fullmatch(recorded):
            self.count["objects"] += 1
            self.objectsOf(recorded, thread).check(recorded, traced, creating)
        elif isinstance(recorded, str):
            if not isinstance(traced, str) or plain(recorded) != plain(traced):
                raise Differs
        elif type(recorded) is not type(traced) or recorded != traced:
            raise Differs

    def objectsOf(self, recorded, thread):
        """Requests are compared by thread. Between the end of a call for the
        tracer and for the recorder, another thread may be given the name of the
        request that it completed: in the order of the records that name would
        pass on too early."""
        if OBJECT.fullmatch(recorded)[2] != "req":
            return self.objects
        if recorded in self.requests[thread].traced:
            return self.requests[thread]
        # Another thread may complete it.
        makers = [r for r in self.requests.values() if recorded in r.traced]
        return makers[0] if makers else self.requests[thread]

    def status(self, recorded, traced, thread):
        if not isinstance(traced, dict):
            raise Differs
        # A cancelled one has no source, which a trace may give all the same.
        if "cancelled" in recorded:
            traced = {key: traced.get(key) for key in recorded}
        if recorded.keys() != traced.keys():
            raise Differs
        for key in recorded:
            self.value(recorded[key], traced[key], thread)

    def call(self, recorded, traced, thread, index):
        function = recorded["func"]
        self.count["calls"] += 1

        def compare(name, one, other, creating=False):
            self.count["parameters"] += 1
            try:
                self.value(one, other, thread, creating)
            except Differs as reason:
                text = f"{function} {name}: recorded {json.dumps(one)}, trace {json.dumps(other)}"
                self.differ(thread, index, f"{text} ({reason})" if str(reason) else text)

        for name in recorded["args"].keys() - traced["args"].keys():
            self.differ(thread, index, f"{function} {name}: not in the trace")
        for name in traced["args"].keys() - recorded["args"].keys():
            self.differ(thread, index, f"{function} {name}: only in the trace")
        for name, one in recorded["args"].items():
            if name in traced["args"]:
                compare(name, one, traced["args"][name], creates(function, name))
        # The trace ends in MPI_Finalize, before it has returned.
        compare("ret", None if function == "MPI_Finalize" else recorded["ret"], traced.get("ret"))
        compare("depth", recorded["depth"], traced["depth"])
        if "matched" in recorded or "matched" in traced:
            self.count["matched"] += 1
            compare("matched", recorded.get("matched"), traced.get("matched"))

    def run(self, recorded, traced):
        """Calls of both, by thread; the recorder's know when they returned."""
        returned = []
        for thread, other in pairThreads(recorded, traced):
            ours, theirs = recorded.get(thread, []), traced.get(other, [])
            for index in range(max(len(ours), len(theirs))):
                one = ours[index] if index < len(ours) else None
                two = theirs[index] if index < len(theirs) else None
                if one is None or two is None or one["func"] != two["func"]:
                    names = [call["func"] if call else "no call" for call in (one, two)]
                    self.differ(thread, index, f"recorded {names[0]}, trace {names[1]}")
                    break
                returned.append((one["returned"], thread, index, one, two))
        for _, thread, index, one, two in sorted(returned, key=lambda r: r[0]):
            self.call(one, two, thread, index)


def pairThreads(recorded, traced):
    """Both number a rank's threads, each in its own order: threads with the same
    calls and the same plain numbers in them make a pair."""

    def same(ours, theirs):
        return len(ours) == len(theirs) and all(
            one["func"] == two["func"]
            and all(
                two["args"].get(name) == value
                for name, value in one["args"].items()
                if type(value) is int
            )
            for one, two in zip(ours, theirs)
        )

    left = sorted(traced)
    pairs = []
    for thread in sorted(recorded):
        fitting = [t for t in left if same(recorded[thread], traced[t])]
        candidates = fitting or left
        other = thread if thread in candidates else next(iter(candidates), None)
        if other is not None:
            left.remove(other)
        pairs.append((thread, other))
    return pairs + [(None, thread) for thread in left]


def byThread(calls):
    threads = collections.defaultdict(list)
    for call in calls:
        threads[call["thread"]].append(call)
    for thread in threads.values():
        thread.sort(key=lambda call: call["seq"])
    return threads


def readRecorded(path):
    calls = []
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        for number, line in enumerate(file):
            calls.append(json.loads(line) | {"returned": number})
    return byThread(calls)


def readTrace(pilgrim, trace, covered):
    """Covered calls by rank and thread; depth counts covered callers only."""
    command = [pilgrim, "print", "--json", trace]
    ranks = collections.defaultdict(list)
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, encoding="utf-8", errors="surrogateescape"
    ) as process:
        for line in process.stdout:
            call = json.loads(line)
            ranks[call["rank"]].append(call)
    if process.returncode != 0:
        print(f"compare.py: {' '.join(command)}: exit code {process.returncode}",
              file=sys.stderr)  # fmt: skip
        sys.exit(2)
    result = {}
    for rank, calls in ranks.items():
        threads = byThread(calls)
        for number, thread in list(threads.items()):
            callers = []
            for call in thread:
                del callers[call["depth"] :]
                depth = sum(callers)
                callers.append(call["func"] in covered)
                call["depth"] = depth
            threads[number] = [call for call in thread if call["func"] in covered]
            if not threads[number]:
                del threads[number]
        result[rank] = threads
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--recorded", required=True, metavar="PREFIX")
    parser.add_argument("--trace", required=True)
    parser.add_argument("--pilgrim", required=True, help="the tool")
    parser.add_argument("--constant-segments", action="store_true",
                        help="no memory that MPI saw is freed")  # fmt: skip
    parser.add_argument("--limit", type=int, default=10, metavar="N",
                        help="differences printed of each rank")  # fmt: skip
    arguments = parser.parse_args()

    covered = set((HERE / "covered.txt").read_text().split())
    prefix = pathlib.Path(arguments.recorded)
    files = {
        int(path.suffix[1:]): path
        for path in prefix.parent.glob(prefix.name + ".*")
        if path.suffix[1:].isdigit() and path.stem == prefix.name
    }
    traced = readTrace(arguments.pilgrim, arguments.trace, covered)
    if not files:
        print(f"compare.py: nothing was recorded in {prefix}.*", file=sys.stderr)
        return 2

    differences, total = 0, collections.Counter()
    if files.keys() != traced.keys():
        differences += 1
        print(f"ranks: recorded {sorted(files)}, trace {sorted(traced)}")
    for rank in sorted(files.keys() & traced.keys()):
        comparison = Rank(rank, arguments.constant_segments)
        comparison.run(readRecorded(files[rank]), traced[rank])
        for difference in comparison.differences[: arguments.limit]:
            print(difference)
        if len(comparison.differences) > arguments.limit:
            print(f"rank {rank}: {len(comparison.differences)} differences in all")
        differences += len(comparison.differences)
        total += comparison.count
        total["rebound"] += comparison.segments.rebound
        total["raw"] += comparison.segments.raw

    what = (
        f"{total['calls']} calls on {len(files)} ranks, {total['parameters']} parameters,"
        f" {total['objects']} objects, {total['buffers']} buffers ({total['raw']} raw),"
        f" {total['matched']} matched, {total['unknown']} values unknown,"
        f" {total['rebound']} segments rebound"
    )
    if not total["calls"] and not differences:
        print(f"compare.py: no calls to compare in {prefix}.*", file=sys.stderr)
        return 2
    print(f"{differences} differences: {what}" if differences else f"agree: {what}")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
