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
    assert 0 <= call["duration"] < 60
    last[key] = call["start"] + call["duration"]
assert len(last) == 4
