"""paths.py PILGRIM TRACE: the gaps before the one MPI_Send, by what was before it."""

import json
import subprocess
import sys


def find(place, name, found):
    if place["kind"] == "mpi" and place["name"] == name:
        found.append(place)
    for child in place["children"]:
        find(child, name, found)
    return found


pilgrim, trace = sys.argv[1:]
tree = json.loads(subprocess.check_output([pilgrim, "tree", "--json", trace]))
(send,) = find(tree["threads"][0], "MPI_Send", [])
gaps = {gap["after"].split()[0]: gap for gap in send["gaps"]}
assert set(gaps) == {"MPI_Comm_rank", "MPI_Send", "MPI_Barrier"}, gaps
assert [gaps[name]["calls"] for name in ("MPI_Comm_rank", "MPI_Barrier", "MPI_Send")] == [1, 5, 24], gaps
assert sum(gap["calls"] for gap in send["gaps"]) == send["calls"]
first, inner = (gaps[name]["mean"] for name in ("MPI_Barrier", "MPI_Send"))
assert 0.002 <= inner < 0.007 and 0.008 <= first < 0.014, gaps
(barrier,) = find(tree["threads"][0], "MPI_Barrier", [])
(gap,) = [g for g in barrier["gaps"] if g["after"].startswith("MPI_Send")] or barrier["gaps"]
assert gap["min"] >= 0.0149, barrier
print("three gaps")
