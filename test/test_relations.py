"""How slots belong together: what the table says of every function is what the second reader finds in a trace, where
only exceptions from the rules of docs/format.md stand."""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "test/format"), str(ROOT / "api")]

import model  # noqa: E402
import relations  # noqa: E402
import slotrelations  # noqa: E402
from tables import Function, Tables  # noqa: E402
from values import Bytes, Damaged  # noqa: E402

KINDS = {name: int(number) for name, number in re.findall(
    r"^PILGRIM_KIND\((\w+), (\d+),", (ROOT / "trace/model/Kinds.def").read_text(), re.M)}
# Names of relations as generated code has them, by the numbers of the second reader.
NAMES = {getattr(slotrelations, re.sub(r"(?<!^)([A-Z])", r"_\1", name).upper()): name for name in (
    "Count", "Datatype", "Displacements", "Factor", "PerProcess", "PerMember", "PerSource", "PerDestination", "OwnCount",
    "ReadAndWritten", "ReadAtRoot", "AtRoot", "NotAtRoot", "Everywhere", "Group", "Makes", "Finds", "Frees", "Starts",
    "Completes", "Keeps")}  # fmt: skip
NUMBERS = {name: number for number, name in NAMES.items()}


def inTrace(f, exceptions):
    """The function as the second reader has it from a trace."""
    slots, said = [(b"", 9, 2, None)], [{}]
    for p, found in zip(relations.recorded(f), exceptions):
        bits = relations.is_array(p) * 1 | relations.is_output(p) * 2
        slots.append((p.name.encode(), KINDS[relations.trace_kind(p)], bits, None))
        said.append({NUMBERS[name]: number for name, number in found})
    return Function(f.name.encode(), bool(f.collective), slots, said)


def found(slot):
    named = NAMES.get
    return relations.OfSlot(slot.count, slot.datatype, slot.displacements, slot.factor, named(slot.per), slot.own,
                            slot.does, named(slot.where), slot.group, named(slot.use))  # fmt: skip


class Relations(unittest.TestCase):
    functions = model.load(ROOT / "api/mpi").functions

    def testEveryFunction(self):
        self.assertGreater(len(self.functions), 600)
        for f in self.functions:
            root, slots = slotrelations.relationsOf(inTrace(f, relations.exceptions(f)))
            said = relations.said_by_table(f)
            self.assertTrue(said.root in (0, root) and (said.root or not root), f.name)
            for p, slot, told in zip(relations.recorded(f), slots[1:], said.slots[1:]):
                self.assertEqual(found(slot), told, f"{f.name}: {p.name}")

    def testWhatIsLeftOutIsMissed(self):
        """No exception follows from the rules."""
        for f in self.functions:
            exceptions = relations.exceptions(f)
            for at, one in enumerate(exceptions):
                for left in range(len(one)):
                    less = [list(e) for e in exceptions]
                    del less[at][left]
                    _, slots = slotrelations.relationsOf(inTrace(f, less))
                    told = relations.said_by_table(f).slots[1:]
                    self.assertNotEqual([found(s) for s in slots[1:]], told, f"{f.name}: {one[left]}")

    def testInAFile(self):
        """A count and its slot, one that is not known, and a word."""
        data = bytes([1 << 2 | 3, 3, 0xCB, 0x01, 9, 5 << 2])
        read = lambda data: dict(Tables().readRelations(Bytes(data), 4))  # noqa: E731
        self.assertEqual(read(data), {slotrelations.COUNT: 3, slotrelations.PER_PROCESS: 0})
        for bad in (data[:-1], bytes([1 << 2 | 2, 4]), bytes([1 << 2]), bytes([5 << 2 | 2, 1])):
            with self.assertRaises(Damaged):
                read(bad)

    def testFrequentCallsSayNothing(self):
        """They would cost bytes in every trace."""
        names = "Send Recv Isend Irecv Sendrecv Wait Waitall Waitany Test Barrier Bcast Reduce Allreduce Gatherv"
        names += " Allgatherv Alltoallv Scan Comm_split Comm_dup Comm_free Type_vector Type_free Comm_group Group_incl"
        names += " Put Get Accumulate Win_create Win_free File_open File_write_at_all File_close Iprobe Probe"
        known = {f.name: f for f in self.functions}
        for name in names.split():
            self.assertFalse(any(relations.exceptions(known["MPI_" + name])), name)


if __name__ == "__main__":
    unittest.main()
