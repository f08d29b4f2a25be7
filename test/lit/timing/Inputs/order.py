"""Checks the order of sends and receives, and of collective calls, by the times in `pilgrim print --json`."""
import collections
import json
import sys

size = int(sys.argv[1])
sends, receives = collections.defaultdict(list), collections.defaultdict(list)
collectives = collections.defaultdict(list)
for line in sys.stdin:
    call = json.loads(line)
    rank, args = call["rank"], call.get("args", {})
    span = call["start"], call["start"] + (call["duration"] or 0)
    if args.get("comm") != "MPI_COMM_WORLD":
        continue
    if call["func"] in ("MPI_Send", "MPI_Isend"):
        sends[rank, args["dest"], args["tag"]].append(span)
    elif call["func"] == "MPI_Recv" and args["source"] != "MPI_ANY_SOURCE":
        receives[args["source"], rank, args["tag"]].append(span)
    elif call["func"] in ("MPI_Allreduce", "MPI_Barrier"):
        collectives[rank].append(span)

messages = 0
for pair, ends in receives.items():
    if len(sends[pair]) != len(ends):
        continue  # some were received in another way
    for (sent, _), (_, received) in zip(sends[pair], ends):
        assert received >= sent - 2e-9, (pair, sent, received)
        messages += 1
rounds = list(zip(*(collectives[rank] for rank in range(size))))
for spans in rounds:
    assert max(start for start, _ in spans) <= min(end for _, end in spans) + 2e-9, spans
assert messages + len(rounds) > 100, (messages, len(rounds))
