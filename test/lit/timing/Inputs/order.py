"""Checks by the times in `pilgrim print --json` that no message arrives before it is sent, and that nobody leaves a
collective call before those whose data it needs have come to it. Only calls on MPI_COMM_WORLD are looked at.

    pilgrim print --json TRACE | order.py RANKS LEAST [INFO]

At least LEAST messages and calls have to be found. Where clocks were compared, times are good to twice what the file INFO,
from `pilgrim info --json`, says that one clock may be off. What is said at the end is how many were looked at, and the
shortest message.
"""
import collections
import json
import sys

size, least = map(int, sys.argv[1:3])
allowed = 2e-9  # as times are printed
if sys.argv[3:]:
    clocks = json.load(open(sys.argv[3]))["clocks"]
    assert clocks["number"] == clocks["compared"] == size and clocks["times"] == 2, clocks
    assert clocks["radius"] < 1e-2, clocks  # ranks wait for processors
    allowed += 2 * clocks["radius"]
SENDS = {"MPI_Send", "MPI_Ssend", "MPI_Bsend", "MPI_Isend", "MPI_Issend", "MPI_Sendrecv", "MPI_Sendrecv_replace"}
RECEIVES = {"MPI_Recv", "MPI_Irecv", "MPI_Sendrecv", "MPI_Sendrecv_replace"}
ALL_TO_ALL = {"MPI_Barrier", "MPI_Allreduce", "MPI_Alltoall", "MPI_Alltoallv", "MPI_Allgather", "MPI_Allgatherv",
              "MPI_Reduce_scatter", "MPI_Reduce_scatter_block", "MPI_Comm_dup", "MPI_Comm_split", "MPI_Cart_create"}
COLLECTIVE = ALL_TO_ALL | {"MPI_Bcast", "MPI_Reduce", "MPI_Gather", "MPI_Gatherv", "MPI_Scatter", "MPI_Scatterv"}

sends, receives = collections.defaultdict(list), collections.defaultdict(list)
collectives = collections.defaultdict(list)
pending = {}  # receives, by rank, thread and request
for line in sys.stdin:
    call = json.loads(line)
    rank, args, name = call["rank"], call.get("args", {}), call["func"]
    start, end = call["start"], call["start"] + (call["duration"] or 0)

    # What is complete: the only request, those whose index is said, or all.
    requests = args.get("array_of_requests", [args.get("request")])
    if name.startswith(("MPI_Wait", "MPI_Test")) and args.get("flag", True):
        done = args.get("array_of_indices", args.get("index"))
        if isinstance(done, int):
            requests = [requests[done]]
        elif isinstance(done, list):
            requests = [requests[i] for i in done]
        for request in requests if done is None or isinstance(done, (int, list)) else []:
            if request in pending.setdefault(rank, {}):
                pending[rank].pop(request)[1] = end
    if args.get("comm") != "MPI_COMM_WORLD":
        continue
    if name in SENDS:
        sends[rank, args["dest"], args.get("sendtag", args.get("tag"))].append(start)
    if name in RECEIVES:
        source, tag = args["source"], args.get("recvtag", args.get("tag"))
        if matched := call.get("matched"):
            source, tag = matched["source"], matched["tag"]
        message = [start, end]
        receives[source, rank, tag].append(message)
        if name == "MPI_Irecv":
            message[1] = None
            pending.setdefault(rank, {})[args["request"]] = message
    if name in COLLECTIVE:
        collectives[rank].append((name, args.get("root"), start, end))

messages, shortest, late = 0, float("inf"), []
def ordered(sent, received, *what):
    global messages, shortest
    messages += 1
    shortest = min(shortest, received - sent)
    if received < sent - allowed:
        late.append((received - sent, *what))

for pair, ends in receives.items():
    if len(sends[pair]) != len(ends):
        continue  # some were received in another way
    for sent, (_, received) in zip(sends[pair], ends):
        if received is not None:
            ordered(sent, received, pair, sent)
for calls in zip(*(collectives[rank] for rank in range(size))):
    name, root = calls[0][:2]
    if len({call[:2] for call in calls}) != 1:
        break  # a call in one rank alone: what follows is not side by side
    starts, ends = [call[2] for call in calls], [call[3] for call in calls]
    if name in ALL_TO_ALL:
        ordered(max(starts), min(ends), name, starts, ends)
    elif name in ("MPI_Bcast", "MPI_Scatter", "MPI_Scatterv"):
        ordered(starts[root], min(ends), name, starts, ends)
    else:
        ordered(max(starts), ends[root], name, starts, ends)
print(f"{messages} in order, the shortest took {shortest * 1e6:.2f} us")
if late:
    sys.exit(f"{len(late)} of {messages} are late, such as {min(late)}")
assert messages >= least, messages
