"""Prints the tables that the plugin put into an object, for tests of what it found.

    python3 dump_tables.py OBJECT

The tables of inline functions are in sections of their own, each in a COMDAT group. The object is ELF of 64 bits, little endian. One line per region, event (#number), node and start. Ways out of a node are written TARGET+VALUE, with @ARM where an arm
begins; * is the end of the visit.
"""

import struct
import sys
from pathlib import Path

KINDS = ["site", "call", "loop", "arm"]
CRITICAL = 7  # the name of an arm that has a name of its own


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
        if kind == "arm" and what == CRITICAL:
            what = f"{what} {reader.string()}".rstrip()
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


def sections(data, wanted):
    """The contents of all sections of that name, in the object's order."""
    if data[:6] != b"\x7fELF\x02\x01":
        sys.exit("not an ELF object of 64 bits, little endian")
    (table,) = struct.unpack_from("<Q", data, 40)
    size, number, names = struct.unpack_from("<HHH", data, 58)
    # Of more than 65,279 sections, the first header says how many, and which one has the names.
    first = struct.unpack_from("<IIQQQQII", data, table)
    number, names = number or first[5], names if names != 0xFFFF else first[6]
    headers = [struct.unpack_from("<IIQQQQII", data, table + size * i) for i in range(number)]
    strings = headers[names][4]
    for name, _, _, _, offset, length, _, _ in headers:
        if data[strings + name : data.index(b"\0", strings + name)] == wanted:
            yield data[offset : offset + length]


def main():
    for content in sections(Path(sys.argv[1]).read_bytes(), b".rodata.pilgrim"):
        tables(Reader(content))


def tables(reader):
    while reader.at < len(reader.data):
        name, file, line = reader.string(), reader.string(), reader.number()
        site, callees = reader.byte(), reader.number()
        reader.at += 8 * callees
        print(f"function {name} {file}:{line}{' site' * site}, {callees} callees")
        for index in range(reader.number()):
            region(reader, index)


main()
