"""What trace files are made of, by docs/format.md alone: bytes, rank sets, sequences, functions of the rank."""

import ctypes
import ctypes.util
import itertools
import math
import struct

MAX_WORLD = 1 << 24
MAX_LENGTH = 1 << 62
MASK = (1 << 64) - 1


class Damaged(Exception):
    pass


def check(condition, what):
    if not condition:
        raise Damaged(what)


def signed(value):
    """Wraps round at 64 bits."""
    value &= MASK
    return value - (1 << 64) if value >> 63 else value


def rotate(value, by):
    return ((value << by) | (value >> (32 - by))) & 0xFFFFFFFF


def xxh32(data):
    p1, p2, p3, p4, p5 = 2654435761, 2246822519, 3266489917, 668265263, 374761393
    m = 0xFFFFFFFF
    at = 0
    if len(data) >= 16:
        lanes = [(p1 + p2) & m, p2, 0, -p1 & m]
        while at + 16 <= len(data):
            for i, word in enumerate(struct.unpack_from("<4I", data, at)):
                lanes[i] = rotate((lanes[i] + word * p2) & m, 13) * p1 & m
            at += 16
        h = sum(rotate(v, s) for v, s in zip(lanes, (1, 7, 12, 18))) & m
    else:
        h = p5
    h = (h + len(data)) & m
    while at + 4 <= len(data):
        (word,) = struct.unpack_from("<I", data, at)
        h = rotate((h + word * p3) & m, 17) * p4 & m
        at += 4
    for byte in data[at:]:
        h = rotate((h + byte * p5) & m, 11) * p1 & m
    h = (h ^ h >> 15) * p2 & m
    h = (h ^ h >> 13) * p3 & m
    return h ^ h >> 16


def loadZstd():
    """None where there is no libzstd."""
    name = ctypes.util.find_library("zstd") or "libzstd.so.1"
    try:
        library = ctypes.CDLL(name)
    except OSError:
        return None
    library.ZSTD_decompress.restype = ctypes.c_size_t
    library.ZSTD_decompress.argtypes = [ctypes.c_void_p, ctypes.c_size_t,
                                        ctypes.c_char_p, ctypes.c_size_t]
    return library


def unpack(data, size):
    library = loadZstd()
    check(library, "packed, and there is no libzstd")
    out = ctypes.create_string_buffer(size or 1)
    got = library.ZSTD_decompress(out, size, data, len(data))
    check(got == size, "a section does not unpack")
    return out.raw[:size]


class Bytes:
    """Primitive values from a section."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        check(count <= len(self.data) - self.at, "cut short")
        self.at += count
        return self.data[self.at - count : self.at]

    def byte(self):
        return self.take(1)[0]

    def u64(self):
        return sum(self.byte() << 8 * i for i in range(8))

    def varint(self, below=1 << 64):
        value = 0
        for shift in range(0, 70, 7):
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if not byte & 0x80:
                check(value < below, "a value is out of range")
                return value
        raise Damaged("a varint is too long")

    def svarint(self):
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def count(self):
        return self.varint(len(self.data) - self.at + 1)

    def string(self):
        return self.take(self.varint())

    def end(self):
        check(self.at == len(self.data), "bytes are left over")


# The parts that sections are made of -----------------------------------------


def readRankSet(r, limit):
    """Ranks, ascending."""
    ranks, first = [], 0
    for _ in range(r.count()):
        first += r.svarint()
        head = r.varint()
        levels = head & 3
        if levels == 3:
            levels += r.varint()
        check(first >= 0 and first + (head >> 2) < limit, "a rank is out of range")
        block = list(range(first, first + (head >> 2) + 1))
        for _ in range(levels):
            stride, count = r.varint(), r.varint(limit) + 2
            check(stride and block[-1] + stride * (count - 1) < limit,
                  "a rank is out of range")
            block = [rank + stride * i for i in range(count) for rank in block]
        ranks += block
    ranks.sort()
    check(len(set(ranks)) == len(ranks), "a rank occurs twice")
    return ranks


class Grammar:
    """Rules of (value, isRule, count). Counts of Open places, as (rule, place in it), are said elsewhere."""

    def __init__(self, r, number, mayBeOpen=False):
        self.rules, self.open, new = [], [], 0
        check(0 < number <= len(r.data) - r.at, "a grammar has no start")
        for rule in range(number):
            body = []
            for _ in range(r.count()):
                head = r.varint()
                value, isRule = head >> 2, bool(head & 2)
                count = r.varint() if head & 1 else 1
                if head & 1 and count == 0 and mayBeOpen:
                    self.open.append((rule, len(body)))
                    count = 2
                check(not head & 1 or count >= 2, "a count is too small")
                if isRule:
                    check(value >= 1 and rule + value < number, "no such rule")
                    value += rule
                else:
                    value = value - 1 if value else new
                    check(value < 1 << 31, "a terminal is too large")
                    new = max(new, value + 1)
                body.append((value, isRule, count))
            self.rules.append(body)
        self.check()

    def check(self):
        lengths = [0] * len(self.rules)
        for rule, body in reversed(list(enumerate(self.rules))):
            check(rule == 0 or sum(count for _, _, count in body) >= 2,
                  "a rule stands for nothing")
            lengths[rule] = sum((lengths[v] if isRule else 1) * count for v, isRule, count in body)
        check(lengths[0] < MAX_LENGTH, "a grammar is too long")
        self.length = lengths[0]

    def readFunctions(self, r, ranks, limit):
        """Of the open places, for ranks of a world of limit."""
        self.functions, self.limit = [RankFunction(r, ranks, limit) for _ in self.open], limit

    def of(self, rank):
        """The rank's own."""
        if not self.open:
            return self
        own = Grammar.__new__(Grammar)
        own.rules, own.open = [list(body) for body in self.rules], []
        for (rule, at), function in zip(self.open, self.functions):
            count = function.value(rank, rank, self.limit)
            check(1 <= count <= 1 << 60, "a count is out of range")
            own.rules[rule][at] = (*own.rules[rule][at][:2], count)
        own.check()
        return own

    def terminals(self):
        return max((value + 1 for body in self.rules
                    for value, isRule, _ in body if not isRule), default=0)

    def __iter__(self):
        stack = [iter(self.rules[0])]
        repeats = [(None, 1)]
        while stack:
            symbol = next(stack[-1], None)
            if symbol is None:
                stack.pop()
                rule, left = repeats.pop()
                if left > 1:
                    stack.append(iter(self.rules[rule]))
                    repeats.append((rule, left - 1))
                continue
            value, isRule, count = symbol
            if isRule:
                stack.append(iter(self.rules[value]))
                repeats.append((value, count))
            else:
                for _ in range(count):
                    yield value


class Always:
    """The same thing as often as it is asked for."""

    def __init__(self, value):
        self.value = value

    def __iter__(self):
        return itertools.repeat(self.value)

    def terminals(self):
        return 1

    def of(self, rank):
        return self


class Repeated:
    """A sequence that begins anew at its end, as long as more is asked for."""

    def __init__(self, once):
        check(once.length >= 2, "nothing to repeat")
        self.once = once

    def __iter__(self):
        return itertools.cycle(self.once)

    def terminals(self):
        return self.once.terminals()

    def of(self, rank):
        return self


class IntStream:
    def __init__(self, r):
        self.runs, first = [], 0
        number = r.varint()
        check(number, "an empty stream of runs")
        for _ in range(number >> 1):
            first = signed(first + r.svarint())
            head = 0 if number & 1 else r.varint()
            length = (head >> 1) + 1 if head else 1
            check(not head or 2 <= length <= 1 << 48, "a run is out of range")
            self.runs.append((first, r.svarint() if head & 1 else 0, length))
        rules = r.count()
        self.order = range(len(self.runs))
        if rules:
            self.order = Grammar(r, rules)
            check(self.order.terminals() <= len(self.runs), "no such run")

    def __iter__(self):
        return expand(self.runs, self.order)


class RankedStream:
    """An integer stream of ranks, perhaps of steps; runs may begin at, go by and be as many as functions say."""

    def __init__(self, r, ranks, limit, allowed=3):
        features = 0
        if r.at < len(r.data) and r.data[r.at] == 0:
            r.byte()
            features = r.byte()
            check(features and not features & ~allowed, "no such features")
        self.areSteps, has = features & 1, features & 2
        self.stream, self.functions = IntStream(r), {}
        fields, field = 3 * len(self.stream.runs), -1
        for _ in range(r.varint(fields) + 1 if has else 0):
            field += 1 + r.varint()
            check(field < fields, "no such run")
            self.functions[field] = RankFunction(r, ranks, limit)
        self.limit = limit

    def of(self, rank):
        """The rank's own runs, in their order."""
        value = lambda run, field, other: (self.functions[3 * run + field].value(rank, rank, self.limit)
                                           if 3 * run + field in self.functions else other)
        runs = [tuple(value(i, f, x) for f, x in enumerate(run)) for i, run in enumerate(self.stream.runs)]
        check(all(1 <= length <= 1 << 48 for _, _, length in runs), "a run is out of range")
        values = expand(runs, self.stream.order)
        return map(signed, itertools.accumulate(values)) if self.areSteps else values


def expand(runs, order):
    for run in order:
        first, stride, length = runs[run]
        for i in range(length):
            yield signed(first + i * stride)


class RankFunction:
    def __init__(self, r, ranks, limit, earlier=None):
        """Earlier: the values of those that others may follow from."""
        self.pieces, self.values, self.grid = [], None, None
        head = r.byte()
        if head == 8:
            rest = set(ranks or [])
            number = r.varint(13)
            check(number >= 2, "one piece is none")
            for i in range(number):
                own = set(readRankSet(r, limit)) if i + 1 < number else rest
                rest = rest - own
                self.pieces.append((own, self.explanation(r, r.byte())))
        elif head in (9, 14):
            check(ranks is not None, "a list without ranks")
            self.values = dict(zip(ranks, IntStream(r), strict=True))
            if head == 14:
                self.values = {rank: signed(value + rank) for rank, value in self.values.items()}
        elif head == 13:
            check(ranks, "steps without ranks")
            number, first = r.byte(), r.svarint()
            check(1 <= number <= 4, "dimensions of steps")
            steps = []
            for i in range(number):
                extent = r.varint() if i + 1 < number else len(ranks)
                check(extent >= 1, "an empty extent")
                steps.append((extent, r.svarint()))
            self.values = {}
            for place, rank in enumerate(ranks):
                value, left = first, place
                for extent, step in steps:
                    left, at = divmod(left, extent)
                    value += step * at
                check(left == 0, "steps end early")
                self.values[rank] = signed(value)
        elif head == 12:
            check(earlier is not None, "what follows from nothing")
            values = earlier[-1 - r.varint(len(earlier))]
            factor, begin = r.varint(), r.svarint()
            check(factor and list(values) == list(ranks or []), "not the same ranks")
            first = next(iter(values.values()))
            ways = {rank: signed(value - first) for rank, value in values.items()}
            unit = math.gcd(*ways.values())
            begin += abs(first * factor) // unit * (1 if first > 0 else -1)
            self.values = {rank: signed(begin + way // unit * factor) for rank, way in ways.items()}
            return
        elif head == 11:
            check(ranks is not None, "a neighbour without ranks")
            number = r.varint(5)
            check(number, "no grid")
            self.grid = []
            for _ in range(number - 1):
                extent = r.varint((1 << 24) + 1)
                self.grid.append((extent, r.varint(extent)))
            self.grid.append((None, r.varint((1 << 24) + 1)))
            check(math.prod(extent for extent, _ in self.grid[:-1]) <= 1 << 24, "no grid")
            return
        elif head == 10:
            check(ranks is not None, "partners without ranks")
            block, columns, rows = (r.varint((1 << 24) + 1) for _ in range(3))
            check(block and columns, "an empty grid")
            place = lambda at: at % columns * rows + at // columns
            self.values = {rank: place(rank // block) * block + rank % block for rank in ranks}
        else:
            self.pieces.append((None, self.explanation(r, head)))
            return
        if earlier is not None and self.constant():
            values = {rank: self.value(rank) for rank in ranks}
            if len(set(values.values())) > 1:
                earlier.append(values)

    @staticmethod
    def explanation(r, mask):
        check(1 <= mask <= 7 or 16 <= mask <= 23, "no explanation")
        found = [(bit, r.svarint()) for bit in (1, 2, 4, 16) if mask & bit]
        return found[0]

    def single(self):
        return self.values is None and self.grid is None and self.pieces[0][0] is None

    def constant(self):
        """Whether a rank's value is said without its own rank and size."""
        return self.grid is None and all(bit == 1 for _, (bit, _) in self.pieces)

    def value(self, rank, own=0, size=0):
        if self.values is not None:
            return self.values[rank]
        if self.grid is not None:
            value, stride = own, 1
            for extent, step in self.grid:
                extent = extent or max(size // stride, 1)
                at = own // stride % extent
                value += ((at + step) % extent - at) * stride
                stride *= extent
            return value
        for ranks, (bit, x) in self.pieces:
            if ranks is None or rank in ranks:
                if bit == 1:
                    return x
                if bit == 2:
                    return signed(own + x)
                if bit == 16:
                    return own ^ x
                return signed(own + x) % size if size > 0 else 0
        return 0


class DerivedElement:
    def constant(self):
        return True


class SumsElement(DerivedElement):
    """Element of an array that sums up an earlier one."""

    def __init__(self, before, base, scale):
        self.before, self.base, self.scale = before, base, scale

    def single(self):
        return all(f.single() for f in self.before)

    def value(self, rank, own=0, size=0):
        return signed(self.base + self.scale * sum(f.value(rank) for f in self.before))


class TransposedElement(DerivedElement):
    """Element of an array that holds what the other ranks' hold for this one."""

    def __init__(self, array, index, ranks):
        self.array, self.index, self.ranks = array, index, ranks

    def single(self):
        return False

    def value(self, rank, own=0, size=0):
        return self.array[self.ranks.index(rank)].value(self.ranks[self.index])
