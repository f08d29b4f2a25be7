#!/usr/bin/env python3
"""The checker notices what is made wrong in a trace.

    selftest.py TRACE

Takes the decoded calls of a trace without faults, makes one fault after the other in them, and sees that each is
reported in the words that belong to it. Exit code 0: all were noticed, 1: some were not.
"""

import pathlib
import re
import sys

from calls import Block, Handle, Status, isMade, readCalls
from check_trace import checkTrace
from lifetimes import FREED, KINDS, completed, listed, requestsOf

PER_FAULT = 6
NOBODYS = 99  # tag of messages that the program does not receive


def calls(ranks, wanted):
    """(rank, place, call) of some of the calls that are wanted, from everywhere."""
    found = [(r, i, c) for r, all in ranks.items() for i, c in enumerate(all) if c.about and wanted(c)]
    step = max(1, len(found) // PER_FAULT)
    return found[::step][:PER_FAULT]


def params(call, wanted):
    return [p.name for p in call.about.params if wanted(p) and any(isMade(h) for h in listed(call.args[p.name]))]


def changed(call, **args):
    return call._replace(args={**call.args, **args})


class Faults:
    """Yields (name of the fault, what must be said of it, ranks with it)."""

    def __init__(self, ranks):
        self.ranks = ranks

    def put(self, rank, place, *calls):
        """Calls instead of the one at a place."""
        own = self.ranks[rank]
        return {**self.ranks, rank: own[:place] + list(calls) + own[place + 1 :]}

    def lifetimes(self):
        for kind in sorted(KINDS):
            # A handle that may be known already may also be made again.
            makes = lambda c: params(c, lambda p: p.kind == kind and p.direction == "out" and not p.ref)
            anyMakes = lambda c: params(c, lambda p: p.kind == kind and p.direction == "out")
            frees = lambda c: params(c, lambda p: p.kind == kind and p.frees)
            uses = lambda c: params(c, lambda p: p.kind == kind and p.direction != "out" and not p.frees)
            for rank, place, call in calls(self.ranks, anyMakes):
                yield f"{kind} that nobody made", f"{kind} \\d+, which is not alive", self.put(rank, place)
            for rank, place, call in calls(self.ranks, makes):
                yield f"{kind} made twice", f"makes {kind} \\d+, which is alive", self.put(rank, place, call, call)
            for rank, place, call in calls(self.ranks, frees):
                yield f"{kind} freed twice", f"{kind} \\d+, which is not alive", self.put(rank, place, call, call)
            for rank, place, call in calls(self.ranks, uses):
                name = uses(call)[0]
                invalid = [Handle(kind, "invalid") for _ in listed(call.args[name])]
                value = invalid if isinstance(call.args[name], list) else invalid[0]
                yield f"{kind} unknown", f"a {kind} that is unknown", self.put(rank, place, changed(call, **{name: value}))
            for rank, place, call in calls(self.ranks, uses):
                # At the end, after the last one was freed: but for what the program never frees.
                handle = next(h for h in listed(call.args[uses(call)[0]]) if isMade(h))
                later = self.ranks[rank][place + 1 :]
                if any(h == handle for c in later if c.about for n in frees(c) for h in listed(c.args[n])):
                    yield (f"{kind} used after it was freed", f"{kind} \\d+, which is not alive",
                           self.put(rank, len(self.ranks[rank]), call))  # fmt: skip

    def memory(self):
        said = "memory that no call has named"
        found = [(r, i, c) for r, own in self.ranks.items() for i, c in enumerate(own) if c.name == FREED]
        for rank, place, call in found[:: max(1, len(found) // PER_FAULT)]:
            yield "memory freed twice", said, self.put(rank, place, call, call)
            yield "other memory freed", said, self.put(rank, place, changed(call, block=Block(10**6)))

    def requests(self):
        once = lambda c: c.about.completes and any(isMade(listed(c.args[requestsOf(c.about).name])[i]) for i in completed(c))
        for rank, place, call in calls(self.ranks, lambda c: once(c) and "_init" not in c.name and c.name == "MPI_Waitall"):
            yield "requests completed twice", "request \\d+, which is not alive", self.put(rank, place, call, call)
        for rank, place, call in calls(self.ranks, lambda c: c.about.starts):
            yield "request started twice", "which is active", self.put(rank, place, call, call)
            make = next(c for c in self.ranks[rank][:place] if c.name == "MPI_Isend")
            some = changed(call, **{call.about.starts: make.args["request"]})
            yield "other request started", "starts request \\d+, which is not (persistent|alive)", self.put(rank, place, some)
        indexed = lambda c: c.about.completes == "any" and isinstance(c.args["index"], int)
        for rank, place, call in calls(self.ranks, indexed):
            yield "index too large", "a request that is not there", self.put(rank, place, changed(call, index=77))

    def sends(self):
        wanted = lambda c: (c.args.get("dest", c.name) not in ("MPI_PROC_NULL", c.name) and "recv" not in c.name.lower()
                            and c.args["tag"] != NOBODYS)  # fmt: skip
        lost = "what was not sent|receives (tag|\\d+ bytes)|there is no rank|room for|looks"
        for rank, place, call in calls(self.ranks, wanted):
            yield "message larger", "bytes", self.put(rank, place, changed(call, count=call.args["count"] + 10**6))
            yield "message with another tag", lost, self.put(rank, place, changed(call, tag=call.args["tag"] + 500))
            yield "message to nobody", "no rank", self.put(rank, place, changed(call, dest=1000))
            other = changed(call, dest="MPI_PROC_NULL")
            yield "message not sent", lost, self.put(rank, place, other)
            if not isMade(call.args.get("request")):
                yield "message sent twice", "LEFT", self.put(rank, place, call, call)

    def overtaking(self):
        pairs = lambda c: c.name == "MPI_Isend" and c.args["tag"] == 12 and c.args["count"] == 4
        for rank, place, call in calls(self.ranks, pairs):
            other = self.ranks[rank][place + 1]
            one, two = changed(call, count=other.args["count"]), changed(other, count=call.args["count"])
            put = self.put(rank, place, one)
            put[rank][place + 1] = two
            yield "messages overtake", "receives \\d+ bytes, and \\d+ were sent", put

    def receives(self):
        known = lambda c: (isinstance(c.args.get("status"), Status) and not c.about.completes and not c.args["status"].cancelled
                           and c.args["status"].source >= 0 and "Get_count" not in c.name)  # fmt: skip
        for rank, place, call in calls(self.ranks, known):
            status = call.args["status"]
            wrong = {"bytes": status.bytes + 4, "tag": status.tag + 1, "source": status.source + 1}
            for field, value in wrong.items():
                yield f"{field} of a message", ".", self.put(rank, place, changed(call, status=status._replace(**{field: value})))
        hidden = lambda c: any(isinstance(s, Status) and s.source >= 0 for s in listed(c.args.get("matched")))
        for rank, place, call in calls(self.ranks, hidden):
            wrong = [s and s._replace(bytes=s.bytes + 8) for s in listed(call.args["matched"])]
            wrong = wrong if isinstance(call.args["matched"], list) else wrong[0]
            put = {**call.args, "matched": wrong}
            if not isinstance(call.args.get("status"), Status):
                yield "bytes of what matched", "bytes|probe", self.put(rank, place, call._replace(args=put))
        for rank, place, call in calls(self.ranks, lambda c: c.name == "MPI_Recv" and c.args["source"] != "MPI_PROC_NULL"):
            yield "message not received", "LEFT", self.put(rank, place)
        for rank, place, call in calls(self.ranks, lambda c: c.name == "MPI_Psend_init"):
            yield "partitions", "bytes", self.put(rank, place, changed(call, partitions=call.args["partitions"] + 1))
        sendrecv = lambda c: c.name == "MPI_Sendrecv" and c.args["source"] != "MPI_PROC_NULL"
        for rank, place, call in calls(self.ranks, sendrecv):
            yield "sent in a Sendrecv", ".", self.put(rank, place, changed(call, sendcount=call.args["sendcount"] + 10**6))

    def communicators(self):
        made = lambda c: [n for n in params(c, lambda p: p.kind == "comm" and p.direction == "out")]
        for rank, place, call in calls(self.ranks, made):
            name = made(call)[0]
            own, size, least, remote = call.args[name].words
            for what, words in {
                "own rank": (size, size, least, remote),
                "size": (own, size + 1, least, remote),
                "smallest rank": (own, size, least + 1, remote),
            }.items():
                wrong = changed(call, **{name: call.args[name]._replace(words=words)})
                said = ".*is another one's|processes, of|smallest world rank|that others do not make"
                yield f"{what} in a communicator", said, self.put(rank, place, wrong)
        alone = lambda c: c.name in ("MPI_Comm_split", "MPI_Comm_dup", "MPI_Comm_create") and not c.args.get("missing")
        for rank, place, call in calls(self.ranks, alone):
            yield "one more creation", ".", self.put(rank, place, call, call)
        for rank, place, call in calls(self.ranks, lambda c: c.name == "MPI_Allreduce"):
            yield "a collective call less", "the collective call \\d+", self.put(rank, place)
        groups = lambda c: c.name in ("MPI_Group_incl", "MPI_Group_difference")
        for rank, place, call in calls(self.ranks, lambda c: c.name == "MPI_Comm_group"):
            other = changed(call, comm=Handle("comm", "MPI_COMM_SELF"))
            yield "a group's name for another", "at the same time|that others do not make", self.put(rank, place, call, other)

    def all(self):
        for part in (self.lifetimes, self.memory, self.requests, self.sends, self.overtaking, self.receives, self.communicators):
            yield from part()


def main():
    world, ranks = readCalls(pathlib.Path(sys.argv[1]))
    faults, left, summary = checkTrace(world, ranks)
    if faults:
        print("there are faults already:", *faults[:5], sep="\n")
        return 1
    unreceived = sum(number for *_, number in left)
    noticed, missed = {}, 0
    for name, said, wrong in Faults(ranks).all():
        faults, left, _ = checkTrace(world, wrong)
        if said == "LEFT":
            good = sum(number for *_, number in left) > unreceived
        else:
            good = any(re.search(said, fault) for fault in faults)
        noticed[name] = noticed.get(name, 0) + good
        if not good:
            missed += 1
            print(f"not noticed: {name}: {faults[:3]}")
    for name, number in noticed.items():
        print(f"{number:3} {name}")
    print(f"{sum(noticed.values())} faults of {len(noticed)} kinds noticed, {missed} missed")
    return 1 if missed or not noticed else 0


if __name__ == "__main__":
    sys.exit(main())
