"""What stats and tree say of the time of each rank of a trace.

times_of_ranks.py PILGRIM TRACE {SECONDS MARK}..., of ranks 0, 1...; the mark is - where the time is the rank's own.
"""

import json
import subprocess
import sys


def run(*command):
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def isNear(a, b):
    """A trace of all ranks rounds ranks' own sums to 7 bits, outwards, and what is left is theirs less these."""
    return abs(a - b) <= b / 32


tool, trace, *expected = sys.argv[1:]
expected = list(zip(map(float, expected[::2]), (None if mark == "-" else mark for mark in expected[1::2])))
rows = run(tool, "stats", "--by", "rank", "--json", trace)["rows"]
assert len(rows) == len(expected), rows
assert all(isNear(row["time"], time) and row.get("timed") == mark for row, (time, mark) in zip(rows, expected)), rows
for rank, (seconds, mark) in enumerate(expected):
    [thread] = run(tool, "tree", "--rank", str(rank), "--json", trace)["threads"]
    assert isNear(thread["time"], seconds) and thread.get("timed") == mark, thread
    assert abs(thread["time"] - rows[rank]["time"]) < 1e-8, thread
    parts = thread["children"]
    assert isNear(sum(part["time"] for part in parts), thread["time"]), parts
    assert all(part.get("timed") == mark for part in parts), parts
# Of all ranks both are exact.
[thread] = run(tool, "tree", "--json", trace)["threads"]
rows = run(tool, "stats", "--json", trace)["rows"]
assert "timed" not in thread and not any("timed" in row for row in rows), (thread, rows)
assert abs(sum(row["time"] for row in rows) - thread["time"]) < 1e-8, (thread, rows)
