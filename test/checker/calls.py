"""A trace's calls with their arguments by name, and what the function table says of their functions.

Traces are read by the second reader (test/format). Of api/ come the facts that the standard states of a parameter: its
kind, its direction, and whether the call frees it or hands out what may be known already.
"""

import functools
import pathlib
import sys
from collections import namedtuple

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "test/format"), str(ROOT / "api")]

import model  # noqa: E402
from reader import recordsOf  # noqa: E402
from tables import ARRAY, HEAP, NAME, OBJECT, OBJECTS, RAW, STATUS, STATUSES, STRING, WORD  # noqa: E402
from tracefile import Trace  # noqa: E402

HANDLES = {10: "comm", 11: "datatype", 12: "op", 13: "group", 14: "win", 15: "file", 16: "request", 17: "message",
           18: "info", 19: "errhandler", 20: "session"}  # fmt: skip
NOT_RECORDED = -(1 << 63)

# A number or an array of them with names where they have any ("MPI_ANY_TAG"), Handle, Status, None where there is no
# value. ret is "MPI_SUCCESS" or another class. about: the table's Function.
Call = namedtuple("Call", "name about ret args")
# Of a predefined object id is its name, else a number. words: what the trace says besides of communicators (own rank,
# size, smallest world rank, remote size), datatypes (size), windows and files (own rank, size).
Handle = namedtuple("Handle", "kind id words", defaults=[()])
Status = namedtuple("Status", "source tag bytes error cancelled")
# A block of memory that an address lies in.
Block = namedtuple("Block", "number")
# What stands for no object that was made: a value that the tracer did not know.
INVALID = "invalid"


def isMade(handle):
    return isinstance(handle, Handle) and not isinstance(handle.id, str)


@functools.cache
def table():
    """The table's functions by name."""
    return {f.name: f for f in model.load(ROOT / "api/mpi").functions}


class Decoder:
    def __init__(self, trace, functions):
        self.trace, self.functions = trace, functions
        self.schema = {}
        for ident, function in trace.functions.items():
            slots = [(name.decode(), HANDLES.get(kind), names) for name, kind, _, names in function.slots]
            self.schema[ident] = function.name.decode(), slots

    def named(self, number, names):
        name = self.trace.names.get((names, number)) if names else None
        return name.decode() if name else number

    def handle(self, kind, number, names):
        return Handle(kind, self.named(number, names) if number < 0 else number)

    def object(self, kind, name, words):
        return Handle(HANDLES[kind], name or words[0], tuple(words[1:]))

    def status(self, words):
        source, tag, size, more = words
        return None if source == NOT_RECORDED else Status(source, tag, size, more >> 1, more & 1)

    def value(self, slot, value):
        (_, kind, names), (tag, numbers, about) = slot, value
        if tag == WORD:
            return self.handle(kind, numbers[0], names) if kind else self.named(numbers[0], names)
        if tag == ARRAY:
            return [self.handle(kind, n, names) if kind else self.named(n, names) for n in numbers]
        if tag == HEAP:
            return Block(numbers[0] & 0xFFFFFFFF)
        if tag == RAW and kind:
            return Handle(kind, INVALID)
        if tag == OBJECT:
            return self.object(*about)
        if tag == OBJECTS:
            return [self.object(*o) for o in about]
        if tag == STATUS:
            return self.status(numbers)
        if tag == STATUSES:
            return [self.status(numbers[i : i + 4]) for i in range(0, len(numbers), 4)]
        return about if tag in (NAME, STRING) else None

    def calls(self, group, rank):
        """In the order in which they ended. Equal ones are one object."""
        known = {}
        for function, _, _, values, *_ in recordsOf(self.trace, group, rank):
            entry = known.get(id(values))
            if entry is None or entry[0] is not values:
                name, slots = self.schema[function]
                ret, *rest = (self.value(slot, value) for slot, value in zip(slots, values))
                args = dict(zip((name for name, *_ in slots[1:]), rest))
                entry = known[id(values)] = values, Call(name, self.functions.get(name), ret, args)
            yield entry[1]


def readCalls(path):
    """The world's size, and each rank's calls, or None for a rank with several threads: what order their calls were in
    is not known."""
    trace = Trace(path.read_bytes())
    decoder = Decoder(trace, table())
    ranks = {}
    for rank in trace.ranks:
        groups = [g for g in trace.groups if rank in g.ranks]
        ranks[rank] = list(decoder.calls(groups[0], rank)) if len(groups) == 1 else None
    return trace.world, ranks
