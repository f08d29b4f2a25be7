"""Checks the tree of nested.c on four ranks against what the program does.

check_tree.py TREE.json STATS.json
"""

import json
import sys

RANKS = 4
tree = json.load(open(sys.argv[1]))
stats = json.load(open(sys.argv[2]))


def walk(place, way=()):
    yield place, way
    for child in place["children"]:
        yield from walk(child, way + (place,))


[thread] = tree["threads"]
assert (thread["kind"], thread["thread"], thread["ranks"]) == ("thread", 0, "0-3")
everything = list(walk(thread))

# Sums are those of what is inside.
for place, _ in everything:
    if place["kind"] == "mpi":
        assert not place["children"], place
    else:
        assert place["calls"] == sum(c["calls"] for c in place["children"]), place
        assert abs(place["time"] - sum(c["time"] or 0 for c in place["children"])) < 1e-7, place

# The same calls and times as pilgrim stats.
for row in stats["rows"]:
    mine = [p for p, _ in everything if p["kind"] == "mpi" and p["name"] == row["func"]]
    assert row["calls"] == sum(p["calls"] for p in mine), row
    assert abs((row["time"] or 0) - sum(p["time"] or 0 for p in mine)) < 1e-7, row


def only(kind, **values):
    found = [
        p for p, _ in everything
        if p["kind"] == kind and all(p.get(k) == v for k, v in values.items())
    ]
    assert len(found) == 1, (kind, values, found)
    return found[0]


main = only("function", name="main")
assert (main["file"], main["line"], main["activations"]) == ("nested.c", 24, RANKS)
outer = only("loop", line=29)
assert (outer["activations"], outer["iterations"]) == (RANKS, 10 * RANKS)
[call] = outer["children"]
assert (call["kind"], call["name"], call["line"]) == ("call", "step", 30)
# Two contexts of one function stay apart.
steps = [(p, way) for p, way in everything if p["kind"] == "function" and p["name"] == "step"]
assert [p["activations"] for p, _ in steps] == [10 * RANKS, RANKS]
assert [way[-1]["line"] for _, way in steps] == [30, 34]
assert [c["kind"] for c in steps[0][0]["children"]] == ["loop", "arm", "arm"]
assert [c.get("passes") for c in steps[0][0]["children"]] == [None, 2 * RANKS, 4 * RANKS]
assert [c["kind"] for c in steps[1][0]["children"]] == ["loop", "arm"]
inner = steps[0][0]["children"][0]
assert (inner["activations"], inner["iterations"]) == (10 * RANKS, 30 * RANKS)
# Only iterations with a call are known.
assert only("loop", line=31)["iterations"] == 1 + 2 + 3 + 4
assert only("arm", line=32)["passes"] == 1 + 2 + 3 + 4
outside = only("call", name="outside")
assert [(c["name"], c["line"], c["calls"]) for c in outside["children"]] == [("MPI_Barrier", None, RANKS)] * 2
assert all(c["site"].startswith("nested+0x") for c in outside["children"])
