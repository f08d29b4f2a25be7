"""Compares `pilgrim print --at` at five times with the lines that it prints of the whole rank."""
import re
import subprocess
import sys

tool, trace, file = sys.argv[1:]
lines = open(file).read().splitlines()
starts = [float(re.search(r"start ([0-9.]+)", line).group(1)) for line in lines]
took = [float(found.group(1)) if (found := re.search(r"took ([0-9.]+)", line)) else 0 for line in lines]
for part in (0.1, 0.3, 0.5, 0.77, 0.99):
    at = starts[int(part * len(lines))]
    found = subprocess.check_output([tool, "print", "--rank", "1", "--at", f"{at:.9f}", trace], text=True).splitlines()
    # Times are written with nine digits: those at the limit may be on either side. Starts are good to a bound, and so may
    # stand in another order than calls.
    must = {line for line, start in zip(lines, starts) if start > at + 2e-9}
    may = {line for line, start, long in zip(lines, starts, took) if start + long > at - 2e-9}
    assert must <= set(found) <= may, (part, len(must - set(found)), len(set(found) - may))
    assert len(may) - len(must) < 20, (part, len(must), len(may))
    inFound = set(found)
    assert found == [line for line in lines if line in inFound], part
print("5 times agree")
