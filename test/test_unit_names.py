"""Each file of some rooms of trace/ has a unit test that is found by its name, and that says so in its first lines.

Grid.cpp has unit/GridTest.cpp. What is written and what is read have one test: EncodeItems.cpp and DecodeItems.cpp
have unit/ItemsCodecTest.cpp.
"""

import pathlib
import re
import unittest

HERE = pathlib.Path(__file__).resolve().parent
TRACE = HERE.parent / "trace"
ROOMS = ("ranks", "merge", "file")


def files(room):
    return sorted(f for f in (TRACE / room).iterdir() if f.suffix in (".h", ".cpp"))


def test_of(file):
    codec = re.match(r"(En|De)coder?(?![a-z])(.*)", file.stem)
    return HERE / "unit" / ((codec[2] + "Codec" if codec else file.stem) + "Test.cpp")


def head(test):
    """The comment that a file begins with."""
    return re.match(r"(//[^\n]*\n)*", test.read_text())[0]


def named(test):
    """Names of files in it."""
    return set(re.findall(r"\w+\.(?:cpp|h)\b", head(test)))


class UnitNames(unittest.TestCase):
    def test_each_file_has_a_test_of_its_name(self):
        for room in ROOMS:
            self.assertTrue(files(room), room)
            for file in files(room):
                with self.subTest(file=f"{room}/{file.name}"):
                    test = test_of(file)
                    self.assertTrue(test.exists(), f"{test.name} is not there")
                    self.assertIn(file.name, named(test), f"{test.name} does not name it")

    def test_tests_name_files_that_there_are(self):
        known = {f.name for f in TRACE.rglob("*") if f.is_file()}
        for test in {test_of(file) for room in ROOMS for file in files(room)}:
            if test.exists():
                self.assertLessEqual(named(test), known, test.name)


if __name__ == "__main__":
    unittest.main()
