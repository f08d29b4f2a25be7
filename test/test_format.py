"""The second reader, written from docs/format.md, against what the first one reads.

test/format holds sample files and, beside each, the calls that the C++ reader
decodes from it (held up to date by unit/FormatTest.cpp).
"""

import pathlib
import struct
import sys
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent / "format"
sys.path.insert(0, str(FOLDER))

import reader  # noqa: E402
import values  # noqa: E402


class Samples(unittest.TestCase):
    def read(self, name):
        data = (FOLDER / f"{name}.pilgrim").read_bytes()
        try:
            return reader.Trace(data)
        except values.NoZstd:
            self.skipTest("not found: libzstd")

    def compare(self, name):
        expected = (FOLDER / f"{name}.calls").read_text()
        self.assertEqual(reader.listing(self.read(name)), expected)

    def testSamples(self):
        names = sorted(file.stem for file in FOLDER.glob("*.pilgrim"))
        self.assertGreaterEqual(len(names), 18)
        for name in names:
            with self.subTest(name):
                self.compare(name)

    def testSchema(self):
        trace = self.read("tiny")
        self.assertEqual(trace.meta, {b"program": b"ring"})
        self.assertEqual(trace.names, {(b"error", 0): b"MPI_SUCCESS"})
        (function,) = trace.functions.values()
        self.assertEqual([s[0] for s in function.slots], [b"return", b"dest", b"comm"])


class Sections(unittest.TestCase):
    def file(self, *others):
        """The tiny sample with other sections, (id, name, bytes) or (id, name, unpacked size, packed bytes)."""
        data = (FOLDER / "tiny.pilgrim").read_bytes()
        sizes, body, measures = data[0x13:0x18], data[0x18:-16], data[-16:]
        head, number, alone = sizes, 4, b""
        for which, name, *about in others:
            size, packed = about if len(about) == 2 else (len(about[0]), None)
            more = (which - number - 1) << 2 | bool(name) << 1 | (packed is not None)
            number = which
            head += varint(size << 1 | 1) + varint(more) + (varint(len(name)) + name if name else b"")
            if packed is None:
                body += about[0]
            else:
                head += varint(len(packed)) + struct.pack("<I", values.xxh32(packed))
                alone += packed
        body += measures
        head = varint((5 + len(others)) << 1) + head
        summed = varint(len(head + body + alone)) + head + body
        return data[:12] + struct.pack("<I", values.xxh32(summed)) + summed + alone

    def testThoseThatAreNotKnownAreSkipped(self):
        expected = (FOLDER / "tiny.calls").read_text()
        for others in ([], [(6, b"", b"??")], [(300, b"new", b"??"), (7000000, b"huge", 1 << 40, b"zstd")]):
            self.assertEqual(reader.listing(reader.Trace(self.file(*others))), expected)

    def testDamageOfOneThatIsAloneIsNoticed(self):
        data = self.file((300, b"new", 100, b"zstd"))
        for at in range(1, 5):
            with self.assertRaisesRegex(values.Damaged, "checksum of section 300"):
                reader.Trace(data[:-at] + b"?" + data[len(data) - at + 1 :])


def varint(value):
    return bytes([value & 0x7F | 0x80]) + varint(value >> 7) if value > 0x7F else bytes([value])


class Damage(unittest.TestCase):
    def testACutOrChangedFileIsRefused(self):
        data = (FOLDER / "tiny.pilgrim").read_bytes()
        for at in range(len(data)):
            changed = bytearray(data)
            changed[at] ^= 0x10
            for bad in (data[:at], bytes(changed)):
                with self.assertRaises(reader.Damaged):
                    reader.Trace(bad)


if __name__ == "__main__":
    unittest.main()
