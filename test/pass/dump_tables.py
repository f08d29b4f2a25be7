"""Prints the tables that the plugin put into an object, for tests of what it found.

    python3 dump_tables.py OBJCOPY OBJECT

One line per region, event (#number), node and start. Ways out of a node are written TARGET+VALUE, with @ARM where an arm
begins; * is the end of the visit.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

KINDS = ["site", "call", "loop", "arm"]


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def number(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def string(self):
        size = self.number()
        self.at += size
        return self.data[self.at - size : self.at].decode()


def region(reader, index):
    print(f"  region {index} line {reader.number()}")
    for event in range(reader.number()):
        kind, line, arm = KINDS[reader.byte()], reader.number(), reader.number()
        what = reader.string() if kind in ("site", "call") else reader.number()
        print(f"    #{event + 1} {kind} {what} line {line}" + (f" in #{arm}" if arm else ""))
    nodes = reader.number()
    for node in range(nodes):
        event = reader.number()
        ways = []
        for _ in range(reader.number()):
            target, value, arm = reader.number(), reader.number(), reader.number()
            ways.append(f"{'*' if target == nodes else target}+{value}" + (f"@{arm}" if arm else ""))
        print(f"    node {node}" + (f" #{event}" if event else "") + ": " + " ".join(ways))
    starts = [(reader.number(), reader.number()) for _ in range(reader.number())]
    for base, node in starts[1:]:
        print(f"    start {node} at {base}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "tables"
        command = [sys.argv[1], "-O", "binary", "--only-section=.rodata.pilgrim", sys.argv[2], str(output)]
        subprocess.run(command, check=True)
        reader = Reader(output.read_bytes())
    while reader.at < len(reader.data):
        name, file, line = reader.string(), reader.string(), reader.number()
        site, callees = reader.byte(), reader.number()
        reader.at += 8 * callees
        print(f"function {name} {file}:{line}{' site' * site}, {callees} callees")
        for index in range(reader.number()):
            region(reader, index)


main()
