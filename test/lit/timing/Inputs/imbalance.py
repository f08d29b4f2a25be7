"""imbalance.py PILGRIM TRACE FUNCTION RANK: whether stats --imbalance names the slow rank, and the call before which it
was slow."""

import json
import subprocess
import sys

pilgrim, trace, function, slow = sys.argv[1:]
slow = int(slow)
report = json.loads(subprocess.check_output([pilgrim, "stats", "--imbalance", "--json", trace]))
rows = [row for row in report["rows"] if row["what"] in ("gap", "outside")]
assert rows[0]["max_rank"] == slow, rows[0]
gaps = [row for row in rows if row["what"] == "gap"]
assert gaps[0]["name"] == function and gaps[0]["max_rank"] == slow, gaps[0]
# The others were about equally fast: the slow rank's time is what is lost. Of two ranks at a site, that is half of it less
# half of what the other one takes.
assert gaps[0]["lost"] > 0.4 * gaps[0]["max"] > gaps[0]["mean"] * 0.4, gaps[0]
assert all(row["min"] <= row["mean"] <= row["max"] * 1.0001 and row["ranks"] > 1 for row in report["rows"])
assert [row["lost"] for row in report["rows"]] == sorted((row["lost"] for row in report["rows"]), reverse=True)

# Ranks' sums: those of a function or loop contain those of what is below.
tree = json.loads(subprocess.check_output([pilgrim, "tree", "--json", trace]))
(thread,) = tree["threads"]
outside = thread["ranks_outside"]
assert outside["max_rank"] == slow and outside["ranks"] == 4, outside


def check(place):
    here = place.get("ranks_outside")
    for child in place["children"]:
        inside = check(child)
        if here and inside:
            assert inside["max"] <= here["max"] * 1.02, (place["kind"], place.get("line"))
    return here


check(thread)
print("names rank", slow)
