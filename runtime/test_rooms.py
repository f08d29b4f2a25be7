"""The folders of runtime/ are rooms in an order: a file includes only files of its own room and of rooms before it."""

import pathlib
import re
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ORDER = ("platform", "core", "memory", "verify", "pmpi", "finish")
WITHOUT_MPI = ("platform", "core", "memory", "verify")


def includes(file):
    return re.findall(r'^\s*#\s*include\s+["<]([^">]+)[">]', file.read_text(), re.MULTILINE)


class Rooms(unittest.TestCase):
    def files(self, room):
        files = [f for f in sorted((HERE / room).iterdir()) if f.suffix in (".h", ".cpp")]
        self.assertTrue(files, room)
        return files

    def test_every_folder_is_a_room(self):
        folders = {f.name for f in HERE.iterdir() if f.is_dir() and any(f.glob("*.cpp"))}
        self.assertEqual(folders, set(ORDER))

    def test_rooms_include_only_those_before_them(self):
        for place, room in enumerate(ORDER):
            for file in self.files(room):
                for name in includes(file):
                    other = name.split("/")[0]
                    if "/" in name and other in ORDER:
                        self.assertLessEqual(ORDER.index(other), place, f"{room}/{file.name} includes {name}")

    def test_mpi_is_known_only_where_it_has_to_be(self):
        for room in WITHOUT_MPI:
            for file in self.files(room):
                self.assertNotIn("mpi.h", includes(file), f"{room}/{file.name}")


if __name__ == "__main__":
    unittest.main()
