#!/usr/bin/env python3
"""Compares `pilgrim matrix` with the calls of a trace, gone through one by one.

    matrix.py PILGRIM TRACE[:TRUTH]...

The calls come from the second reader, communicators and messages from the checker (test/checker), which share nothing
with the tool. Sends must be in the matrix with the same numbers, whatever form it has; and what receivers' statuses
say must be what was sent, pair by pair. TRUTH: a file in which the program itself says what it sent, in lines
"message SENDER RECEIVER BYTES"; then nothing may be unknown. Prints a line a trace; exit code 1 if any differs.
"""

import csv
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile
from collections import Counter

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "checker"))
import check_trace  # noqa: E402
from calls import readCalls  # noqa: E402
from communicators import Comm, Communicators  # noqa: E402
from messages import Messages  # noqa: E402
from ranks import RankWalk  # noqa: E402


class Sends(Messages):
    def __init__(self, report):
        super().__init__(report)
        self.count, self.bytes = Counter(), Counter()

    def send(self, comm, source, destination, send):
        self.count[source, destination] += 1
        self.bytes[source, destination] += send.size or 0
        super().send(comm, source, destination, send)

    def statuses(self):
        """Bytes by pair, of pairs all of whose receives have a status."""
        bytes, without = Counter(), set()
        for rank, receives in self.posted.items():
            for receive in receives:
                if receive.looks or (receive.mayBeCancelled and receive.status is None):
                    continue
                if receive.status:
                    bytes[receive.world[receive.status.source], rank] += receive.status.bytes
                elif isinstance(receive.source, int):
                    without.add((receive.world[receive.source], rank))
                else:
                    without.update((source, rank) for source in receive.world)
        return {pair: n for pair, n in bytes.items() if pair not in without}


def sendsOf(path):
    world, ranks = readCalls(path)
    report = check_trace.Report()
    Comm.number = 0
    communicators, messages = Communicators(world, report), Sends(report)
    walks = {r: RankWalk(world, r, calls, communicators, messages, {}) for r, calls in ranks.items()}
    check_trace.walk(walks, report)
    for rank in ranks:
        messages.match(rank)
    return messages, report.faults


def run(pilgrim, *words):
    return subprocess.run([pilgrim, "matrix", *map(str, words)], check=True, capture_output=True, text=True).stdout


def truthOf(path):
    count, bytes = Counter(), Counter()
    for line in path.read_text().splitlines():
        _, sender, receiver, size = line.split()
        count[int(sender), int(receiver)] += 1
        bytes[int(sender), int(receiver)] += int(size)
    return {pair: (n, bytes[pair]) for pair, n in count.items()}


def blockProblems(pilgrim, path):
    """Sums over blocks of ranks, which a picture has, against the sums of all pairs."""
    title = re.compile(r"<title>(\d+)(?:-(\d+))? to (\d+)(?:-(\d+))?: (\d+) messages?, (\d+) bytes?</title>")
    for collectives in "none", "logical":
        options = path, "--collectives", collectives
        matrix = json.loads(run(pilgrim, *options, "--json"))
        pairs = [p for p in matrix["pairs"] if p["receiver"] is not None]
        with tempfile.TemporaryDirectory() as folder:
            picture = pathlib.Path(folder, "picture.svg")
            run(pilgrim, *options, "--svg", picture)
            found = [list(map(lambda x: int(x) if x else None, t)) for t in title.findall(picture.read_text())]
        if any(matrix[key] != sum(p[key] for p in pairs) for key in ("messages", "bytes")):
            yield f"{collectives}: sums are not those of the pairs"
        size = -(-matrix["ranks"] // 64)
        sums = Counter(), Counter()
        for p in pairs:
            block = p["sender"] // size, p["receiver"] // size
            sums[0][block] += p["messages"]
            sums[1][block] += p["bytes"]
        blocks = {(first // size, to // size): (messages, bytes) for first, _, to, _, messages, bytes in found}
        if blocks != {block: (n, sums[1][block]) for block, n in sums[0].items()}:
            yield f"{collectives}: blocks are not the sums of pairs"


def compare(pilgrim, path, truth):
    messages, problems = sendsOf(path)
    expected = {pair: (n, messages.bytes[pair]) for pair, n in messages.count.items()}
    matrix = json.loads(run(pilgrim, path, "--json"))
    found = {(p["sender"], p["receiver"]): (p["messages"], p["bytes"]) for p in matrix["pairs"]}
    if truth and found != truthOf(truth):
        problems.append("is not what the program says")
    if matrix["unknown"]["messages"]:
        problems.append("receivers are unknown")
    for pair in sorted(expected.keys() | found.keys(), key=str):
        if expected.get(pair) != found.get(pair):
            problems.append(f"{pair}: {found.get(pair)} instead of {expected.get(pair)}")
    if matrix["messages"] != sum(messages.count.values()) or matrix["bytes"] != sum(messages.bytes.values()):
        problems.append(f"sums are {matrix['messages']}, {matrix['bytes']}")
    for by in "communicator", "function", "site":
        parts = json.loads(run(pilgrim, path, "--json", "--by", by))["pairs"]
        sums = Counter(), Counter()
        for p in parts:
            assert by in p
            sums[0][p["sender"], p["receiver"]] += p["messages"]
            sums[1][p["sender"], p["receiver"]] += p["bytes"]
        if {pair: (n, sums[1][pair]) for pair, n in sums[0].items()} != found:
            problems.append(f"by {by} the sums are others")
    lines = list(csv.DictReader(io.StringIO(run(pilgrim, path, "--csv"))))
    if {(int(x["sender"]), int(x["receiver"] or -1)): (int(x["messages"]), int(x["bytes"])) for x in lines} != found:
        problems.append("CSV says something else")
    problems += blockProblems(pilgrim, path)
    for pair, size in messages.statuses().items():
        if size != messages.bytes[pair]:
            problems.append(f"{pair}: {size} bytes received")
    print(f"{path.name}: {len(problems)} problems, {len(found)} pairs, {matrix['messages']} messages, "
          f"{matrix['unknown']['messages']} unknown, {len(messages.statuses())} pairs by statuses")  # fmt: skip
    for line in problems[:10]:
        print("   ", line)
    return not problems


def main():
    pilgrim, *paths = sys.argv[1:]
    results = []
    for words in paths:
        path, _, truth = words.partition(":")
        results.append(compare(pilgrim, pathlib.Path(path), pathlib.Path(truth) if truth else None))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
