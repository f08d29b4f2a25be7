"""The second reader, written from docs/format.md, against what the first one reads.

test/format holds sample files and, beside each, the calls that the C++ reader
decodes from it (held up to date by unit/FormatTest.cpp).
"""

import pathlib
import sys
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent / "format"
sys.path.insert(0, str(FOLDER))

import reader  # noqa: E402
import values  # noqa: E402


class Samples(unittest.TestCase):
    def read(self, name):
        data = (FOLDER / f"{name}.pilgrim").read_bytes()
        if data[24] and not values.loadZstd():
            self.skipTest("not found: libzstd")
        return reader.Trace(data)

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
