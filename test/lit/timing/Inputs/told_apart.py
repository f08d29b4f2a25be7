"""Whether stats --imbalance --json (stdin) has something for each row that tells it from all others, and says how many
ranks came by."""

import json
import sys

report = json.load(sys.stdin)
rows = report["rows"]
assert report["untraced"] == 0, report["untraced"]
assert len({(row["what"], row["name"], row["thread"], row["place"]) for row in rows}) == len(rows)
assert all(row["of"] == 3 and 1 <= row["ranks"] <= 3 for row in rows), rows
assert all(abs(row["lost"] - (row["max"] - row["mean"])) < 1e-9 and row["max"] <= 3 * row["mean"] * (1 + 1e-9) for row in rows), rows
(probe,) = [row for row in rows if row["name"] == "MPI_Iprobe" and row["what"] == "gap"]
assert (probe["ranks"], probe["min"], probe["min_rank"], probe["max_rank"]) == (1, 0, 1, 0), probe
barriers = [row for row in rows if row["what"] == "call" and row["site"] == "p.c:9"]
assert sorted(row["from"] for row in barriers) == [["p.c:26"], ["p.c:27"]], barriers
