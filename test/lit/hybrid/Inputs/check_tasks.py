"""Every task stands below what ran it: a barrier, the end of a region, or a thread that waits there.

    pilgrim tree --json TRACE | python3 check_tasks.py LINE...

Prints how many calls tasks made. LINE: of tasks that only a barrier can have run.
"""

import json
import sys

inBarrier = {int(line) for line in sys.argv[1:]}
calls = 0


def walk(place, around):
    global calls
    if place["kind"] == "function" and place["name"] == "task region":
        calls += place["calls"]
        ran = (around["kind"], around["name"])
        if ran != ("call", "OpenMP barrier"):
            isEnd = ran == ("call", "parallel region") or around["kind"] == "thread"
            assert isEnd and place["line"] not in inBarrier, (place["line"], ran)
    for child in place["children"]:
        walk(child, place)


for thread in json.load(sys.stdin)["threads"]:
    walk(thread, None)
print("calls of tasks:", calls)
