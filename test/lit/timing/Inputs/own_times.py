"""Calls as print --json gives them: each begins when the one before it has ended, but for the error of its start."""

import json
import sys

last = {}
for line in sys.stdin:
    call = json.loads(line)
    assert call["timed"] == "call", call
    key = call["rank"], call["thread"]
    before = last.get(key, 0)
    assert call["start"] >= before * 0.999 - 1e-6, (before, call)
    duration = call["duration"] or 0  # MPI_Finalize has none
    assert 0 <= duration < 60
    last[key] = call["start"] + duration
assert len(last) == 4
