"""Whether two readers see the same arrays of requests: "pilgrim print --json" and test/format/reader.py."""

import json
import re
import sys


def number(name):
    return -1 if name == "MPI_REQUEST_NULL" else int(name[3:])


def byTool(line):
    call = json.loads(line)
    if "array_of_requests" in call["args"]:
        yield call["func"], [number(n) for n in call["args"]["array_of_requests"]]


def bySecond(line):
    name, _, *values = line.split(" ")
    if re.search("any|some|all$", name):
        yield name, json.loads(next(v for v in values if v.startswith("[")))


first, second = ([x for line in open(name) for x in reader(line)]
                 for name, reader in ((sys.argv[1], byTool), (sys.argv[2], bySecond)))
assert len(first) > 10000 and first == second, [x for x in zip(first, second) if x[0] != x[1]][:2]
