"""Compares the histograms of a trace with what is known of the same times in another way."""
import json
import subprocess
import sys

tool, trace, mode, error = sys.argv[1:]
error = float(error.rstrip("%")) / 100


def compare(histogram, calls, time, low, high):
    assert histogram == sorted(histogram) and all(times > 0 for _, times in histogram), histogram
    total = sum(times for _, times in histogram)
    assert abs(total - calls) <= calls / 50, (total, calls)  # counts are rounded to 6 bits
    mean = sum(value * times for value, times in histogram) / total
    assert abs(mean - time / calls) <= (error + 0.03) * time / calls + 2e-9, (mean, time / calls)
    # A time is known to 6 % where it is the least or the largest, and to a percent where the clock was compared.
    for value, extreme in ((histogram[0][0], low), (histogram[-1][0], high)):
        assert abs(value - extreme) <= (error + 0.08) * max(extreme, value) + 3e-9, (value, extreme)


rows = json.loads(subprocess.check_output([tool, "stats", "--json", trace]))["rows"]
assert rows
for row in rows:
    if row["time"] is not None:  # MPI_Finalize has none
        compare(row["histogram"], row["calls"], row["time"], row["min"], row["max"])

paths = 0


def visit(place):
    global paths
    for gap in place.get("gaps", []):
        assert ("histogram" in gap) == (mode == "path-histogram"), gap
        if "histogram" in gap:
            paths += 1
            compare(gap["histogram"], gap["calls"], gap["mean"] * gap["calls"], gap["min"], gap["max"])
    for child in place.get("children", []):
        visit(child)


tree = json.loads(subprocess.check_output([tool, "tree", "--json", "--gaps", trace]))
for thread in tree["threads"] if isinstance(tree, dict) else tree:
    visit(thread)
assert paths or mode == "histogram"
