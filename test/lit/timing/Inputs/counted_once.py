"""Whether what stats and tree say of the time of all calls is that of calls that are not inside of others.

counted_once.py PILGRIM TRACE"""

import json
import re
import subprocess
import sys

pilgrim, trace = sys.argv[1:]


def run(*arguments):
    return subprocess.run([pilgrim, *arguments, trace], check=True, capture_output=True, text=True).stdout


def of_all(text):
    return float(re.search(r"^ *\d+ +\d+ +\d+ +~?([0-9.]+) .*\(all\)", text, re.M)[1])


def is_near(a, b, part=0.15):  # times of single calls are within 10 %
    return abs(a - b) <= part * max(a, b)


calls = [json.loads(line) for line in run("print", "--json").splitlines()]
outermost = sum(call["duration"] or 0 for call in calls if not call["depth"])
inside = sum(call["duration"] or 0 for call in calls if call["depth"])
assert inside > 0.1, inside
rows = {row["func"]: row for row in json.loads(run("stats", "--json"))["rows"]}
assert rows["MPI_Barrier"]["time"] > 0.9 * inside, rows
assert is_near(sum(row["time"] or 0 for row in rows.values()), outermost + inside), rows
for options in (["stats"], ["stats", "--by", "site"], ["stats", "--by", "rank"], ["stats", "--from", "0"], ["stats", "--function", "MPI_*"]):
    assert is_near(of_all(run(*options)), outermost), (options, outermost)
for options in (["--by", "rank"], ["--by", "rank", "--from", "0"]):
    for row in json.loads(run("stats", "--json", *options))["rows"]:
        own = sum(call["duration"] or 0 for call in calls if not call["depth"] and call["rank"] == row["rank"])
        assert is_near(row["time"], own), (row, own)
(thread,) = json.loads(run("tree", "--json"))["threads"]
assert is_near(thread["time"], outermost), thread
assert is_near(thread["time"], of_all(run("stats")), 1e-4), thread
# Of some functions all calls count.
assert is_near(of_all(run("stats", "--function", "MPI_Barrier")), rows["MPI_Barrier"]["time"], 1e-4)
(thread,) = json.loads(run("tree", "--json", "--function", "MPI_Barrier"))["threads"]
assert is_near(thread["time"], rows["MPI_Barrier"]["time"], 1e-4), thread


def below(place):
    yield place
    for child in place["children"]:
        yield from below(child)


for place in below(json.loads(run("tree", "--json"))["threads"][0]):
    if place["kind"] == "function" and place["name"] == "del":
        assert is_near(place["time"], inside), place
