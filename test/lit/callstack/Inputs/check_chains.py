"""check_chains.py PILGRIM N ITERATIONS TRACE: what chain.c did, with N callers to a site."""

import collections
import json
import subprocess
import sys

pilgrim, callers, iterations, trace = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]


def expected(rank):
    """The chains of a rank's calls as lines, without limit."""
    for _ in ("Init", "Comm_rank", "Comm_size", "Op_create"):
        yield None
    for i in range(iterations):
        for middle, outer in ((19, 68), (27, 69), (35, 70), (19, 71), (19, 73) if rank % 2 else (27, 75)):
            yield "MPI_Sendrecv", [13, middle, outer]
    for i in range(iterations):
        yield "MPI_Barrier", [43] + [41] * (i % 4) + [78]
    yield "MPI_Initialized", [49, "qsort", 80]


lines = subprocess.run([pilgrim, "print", "--json", trace], stdout=subprocess.PIPE, check=True, text=True).stdout
calls = collections.defaultdict(list)
for line in lines.splitlines():
    call = json.loads(line)
    calls[call["rank"]].append(call)
assert len(calls) == 4, len(calls)
for rank, own in calls.items():
    for call, want in zip(own, expected(rank)):
        assert "callers" not in call or len(call["callers"]) <= callers, call
        if not want:
            continue
        name, chain = want
        chain = chain[: callers + 1]
        have = [call["site"], *call.get("callers", [])]
        want = [f"chain.c:{x}" if x != "qsort" else x for x in chain]
        if "qsort" in want:
            # The C library has no debug info, or some; its qsort may be one function, or several.
            have = [x if x.startswith("chain.c:") else "qsort" for x in have]
            have = [x for i, x in enumerate(have) if x != "qsort" or have[i - 1] != "qsort"]
            want = want[: len(have)] if callers < 5 else want
        assert call["func"] == name, (call, name)
        assert have == want, (have, want)
    # What an operation does for MPI_Allreduce is called by who called that.
    inside = [c for c in own if c["func"] == "MPI_Type_size"]
    assert inside, "the operation made no call"
    for call in inside:
        assert [call["site"], *call.get("callers", [])] == ["chain.c:55", "chain.c:81"][: callers + 1], call
print("as expected")
