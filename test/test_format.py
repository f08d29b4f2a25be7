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

    def testTiny(self):
        self.compare("tiny")

    def testEveryTag(self):
        self.compare("tags")

    def testValuesByRank(self):
        self.compare("ranks")

    def testRandomProgram(self):
        self.compare("mixed")

    def testStructure(self):
        self.compare("nodes")

    def testArraysThatFollowFromOthers(self):
        self.compare("vectors")

    def testCallsOfSomeRanks(self):
        self.compare("border")

    def testNeighboursAndMultiples(self):
        self.compare("torus")

    def testCallsThatWereNotTraced(self):
        self.compare("switched")

    def testOrderOfThreads(self):
        self.compare("turns")

    def testSitesWithCallers(self):
        self.compare("callers")

    def testLoopsOfDifferentLengths(self):
        self.compare("unequal")
        self.compare("visits")

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
