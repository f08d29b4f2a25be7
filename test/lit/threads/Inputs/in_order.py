"""Reads `pilgrim print --json` of a run whose threads counted their calls in the tags: N calls a rank or a few more, in order."""

import collections
import json
import sys

wanted = int(sys.argv[1])
ranks = collections.defaultdict(list)
numbers = collections.Counter()
for line in sys.stdin:
    call = json.loads(line)
    assert call["seq"] == numbers[call["rank"], call["thread"]], call
    numbers[call["rank"], call["thread"]] += 1
    if call["func"] == "MPI_Sendrecv":
        ranks[call["rank"]].append((call["args"]["sendtag"], call["thread"]))
assert sorted(ranks) == [0, 1], ranks
for calls in ranks.values():
    assert [tag for tag, _ in calls] == list(range(len(calls))), calls
    assert wanted <= len(calls) < wanted + 3 and len({thread for _, thread in calls}) >= 3, len(calls)
