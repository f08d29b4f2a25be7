"""Compares `pilgrim print --at` at five times with the lines that it prints of the whole rank."""
import re
import subprocess
import sys

tool, trace, file = sys.argv[1:]
lines = open(file).read().splitlines()
starts = [float(re.search(r"start ([0-9.]+)", line).group(1)) for line in lines]
for part in (0.1, 0.3, 0.5, 0.77, 0.99):
    first = int(part * len(lines))
    # A little earlier, as times are written with nine digits.
    at = starts[first] - 2e-9
    found = subprocess.check_output([tool, "print", "--rank", "1", "--at", f"{at:.9f}", trace], text=True).splitlines()
    assert found == lines[len(lines) - len(found):], part
    assert len(lines) - first <= len(found) <= len(lines) - first + 8, (part, len(found), len(lines) - first)
print("5 times agree")
