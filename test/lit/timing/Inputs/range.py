"""Compares `pilgrim stats --from --to` with the calls that `pilgrim print` shows: by function and by rank."""
import collections
import json
import subprocess
import sys

tool, trace = sys.argv[1:]
calls = [json.loads(line) for line in subprocess.check_output([tool, "print", "--json", trace]).splitlines()]
calls = [call for call in calls if "start" in call and not call["func"].startswith("(")]
for call in calls:
    call["duration"] = call["duration"] or 0  # MPI_Finalize has none
ends = sorted(call["start"] + call["duration"] for call in calls)
last = ends[-1]

for low, high in ((0, last + 1), (last / 3, last / 2), (ends[len(ends) // 2], ends[len(ends) // 2 + 50]), (last / 2, None)):
    for by, key in (("function", "func"), ("rank", "rank")):
        command = [tool, "stats", "--json", "--by", by, "--from", f"{low:.9f}", trace]
        command += ["--to", f"{high:.9f}"] if high is not None else []
        stats = json.loads(subprocess.check_output(command))
        number, time = collections.Counter(), collections.Counter()
        for call in calls:
            start, end = call["start"], call["start"] + call["duration"]
            # Times are written with nine digits: those at a limit may be on either side.
            if end < low - 2e-9 or start >= (high or last + 1) - 2e-9:
                continue
            number[call[key]] += 1
            time[call[key]] += min(end, high or end) - max(start, low)
        assert len(number) == len(stats["rows"]) or by == "function", (by, low, high)
        for row in stats["rows"]:
            assert abs(row["calls"] - number[row[key]]) <= 2, (row, number[row[key]])
            assert abs((row["time"] or 0) - time[row[key]]) < 1e-8 * (1 + row["calls"]), (row, time[row[key]])
            assert "timed" not in row, row
        found = sum(row["calls"] for row in stats["rows"])
        assert abs(found - sum(number.values())) <= 4, (by, low, high, found, number)
print("all ranges agree")
