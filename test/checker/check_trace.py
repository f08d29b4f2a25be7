#!/usr/bin/env python3
"""Proves of traces that what they say hangs together.

    check_trace.py TRACE...

Every object is made before its use, and freed at most once (lifetimes.py); every message that was received was sent
(messages.py), on a communicator whose members agree that it is one (communicators.py); and the members of a
communicator make the same collective calls on it. Prints faults, and messages that nobody received. Exit code 0: no
fault, 1: faults, 2: nothing can be said.
"""

import argparse
import itertools
import pathlib
import sys

from calls import readCalls
from communicators import Comm, Communicators
from lifetimes import Lifetimes
from messages import Messages
from ranks import RankWalk
from values import Damaged

SHOWN = 20


class Report:
    """Faults, each with the call in which it was found."""

    def __init__(self):
        self.faults = []
        self.rank = 0

    def __call__(self, what, call=None, rank=None):
        where = f"rank {self.rank if rank is None else rank}"
        self.faults.append(f"{where}: {call.name} {what}" if call else f"{where}: {what}")


def walk(walks, report):
    """Lets every rank go on as long as it can; then those that wait for a communicator wait for nobody."""
    left = {rank: w.run() for rank, w in walks.items()}
    waits = dict.fromkeys(left)
    moved = True
    while left and moved:
        moved = False
        for rank in list(left):
            comm = waits[rank]
            if comm is not None and comm.sides is None:
                continue
            report.rank = rank
            before = len(walks[rank].posted), sum(walks[rank].comms.ordinals.values())
            try:
                waits[rank] = next(left[rank])
                moved |= waits[rank] is not None
                moved |= before != (len(walks[rank].posted), sum(walks[rank].comms.ordinals.values()))
            except StopIteration:
                del left[rank]
                moved = True
    for rank in left:
        report("waits for a communicator that others do not make", rank=rank)


def checkTrace(world, ranks):
    """The report, and what there was."""
    report = Report()
    Comm.number = 0
    made = 0
    for rank, calls in ranks.items():
        report.rank = rank
        lifetimes = Lifetimes(report)
        for call in calls:
            lifetimes.call(call)
        made += lifetimes.made
    if report.faults:
        # What names stand for is not known then.
        return report.faults, [], f"the lives of {made} objects"
    communicators, messages, collectives = Communicators(world, report), Messages(report), {}
    walks = {r: RankWalk(world, r, calls, communicators, messages, collectives) for r, calls in ranks.items()}
    walk(walks, report)
    for rank in ranks:
        report.rank = rank
        messages.match(rank)
    for comm, calls in collectives.values():
        compareCollectives(comm, calls, report)
    left = list(messages.left())
    summary = (f"{sum(map(len, ranks.values()))} calls on {len(ranks)} ranks, {made} objects, {messages.received} of "
               f"{messages.sent} messages received, {sum(number for *_, number in left)} not")  # fmt: skip
    if messages.unknown:
        summary += f", {messages.unknown} receives that nothing is known of"
    return report.faults, left, summary


def compareCollectives(comm, calls, report):
    if comm.sides is None:
        return
    first, *others = comm.members()
    for other in others:
        pairs = itertools.zip_longest(calls.get(first, ()), calls.get(other, ()))
        for number, (one, two) in enumerate(pairs):
            if one != two:
                what = f"the collective call {number} on a communicator is {two}, on rank {first} {one}"
                report(what, rank=other)
                break


class NothingToSay(Exception):
    pass


def check(path):
    """Faults, messages that nobody received, both as text, and what there was."""
    world, ranks = readCalls(path)
    if any(calls is None for calls in ranks.values()):
        raise NothingToSay("a rank has several threads, whose order is not known")
    if len(ranks) < world:
        raise NothingToSay("ranks are missing")
    faults, left, summary = checkTrace(world, ranks)
    return faults, [f"not received: {number} from {source} to {to}" for _, source, to, number in left], summary


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("traces", nargs="+", type=pathlib.Path)
    code = 0
    for path in parser.parse_args().traces:
        try:
            faults, left, summary = check(path)
        except (NothingToSay, Damaged, OSError) as problem:
            print(f"{path.name}: nothing can be said: {problem}")
            code = 2
            continue
        for line in faults[:SHOWN] + left[:SHOWN]:
            print(f"{path.name}: {line}")
        print(f"{path.name}: {len(faults)} faults in {summary}")
        code = max(code, 1 if faults else 0)
    return code


if __name__ == "__main__":
    sys.exit(main())
