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


class NoZstd(Exception):
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
    if not library:
        raise NoZstd("packed, and there is no libzstd")
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
        chunks, self.chunks = [], set()
        check(0 < number <= len(r.data) - r.at, "a grammar has no start")
        for rule in range(number):
            body = []
            symbols = r.count()
            if symbols == 0 and rule and mayBeOpen:
                chunks.append(Chunk(r, True))
                self.chunks.add(rule)
                new = max(new, chunks[-1].terminals)
                body = [(value, False, count) for value, count in chunks[-1].items]
            for _ in range(symbols):
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
        self.least = new if chunks else 0
        told = [r.varint() for _ in range(max((c.terminals for c in chunks), default=0))]
        self.check()
        uses = [1] + [0] * (number - 1)
        for rule, body in enumerate(self.rules):
            for value, isRule, count in body:
                if isRule:
                    uses[value] += uses[rule] * count
        for rule, chunk in zip(sorted(self.chunks), chunks):
            for value, count in chunk.items:
                told[value] -= uses[rule] * count
        check(not any(told), "chunks have other terminals")
        check(not (chunks and self.open), "chunks beside open counts")

    def check(self):
        lengths = [0] * len(self.rules)
        for rule, body in reversed(list(enumerate(self.rules))):
            check(rule == 0 or rule in self.chunks or sum(count for _, _, count in body) >= 2,
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
        own.chunks, own.least = self.chunks, self.least
        for (rule, at), function in zip(self.open, self.functions):
            count = function.value(rank, rank, self.limit)
            check(1 <= count <= 1 << 60, "a count is out of range")
            own.rules[rule][at] = (*own.rules[rule][at][:2], count)
        own.check()
        return own

    def terminals(self):
        return max((value + 1 for body in self.rules
                    for value, isRule, _ in body if not isRule), default=self.least)

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
    """Runs are (first, stride, length); a chunk is (its values, 0, length)."""

    def __init__(self, r, hasChunks=False):
        self.runs, first = [], 0
        number = r.varint()
        check(number, "an empty stream of runs")
        for _ in range(number >> 1):
            before = first
            first = signed(first + r.svarint())
            head = 0 if number & 1 else r.varint()
            if head == 1 and hasChunks:
                check(first == before, "a chunk with a first value")
                chunk = Chunk(r, False)
                self.runs.append((chunk.values, 0, chunk.length))
                continue
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

    def __init__(self, r, ranks, limit, allowed=7):
        features = 0
        if r.at < len(r.data) and r.data[r.at] == 0:
            r.byte()
            features = r.byte()
            check(features and not features & ~(allowed | 4), "no such features")
        self.areSteps, has = features & 1, features & 2
        self.stream, self.functions = IntStream(r, bool(features & 4)), {}
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
        if isinstance(first, list):
            yield from first
            continue
        for i in range(length):
            yield signed(first + i * stride)


class Explained:
    """One of the ways in which a value follows from the own rank and the size."""

    def __init__(self, r, mask):
        check(1 <= mask <= 7 or 16 <= mask <= 23, "no explanation")
        self.bit, self.x = [(bit, r.svarint()) for bit in (1, 2, 4, 16) if mask & bit][0]
        self.isConstant = self.bit == 1
        self.isFar = self.isRelative = False

    def value(self, rank, own, size):
        if self.bit == 1:
            return self.x
        if self.bit == 2:
            return signed(own + self.x)
        if self.bit == 16:
            return own ^ self.x
        return signed(own + self.x) % size if size > 0 else 0


class Listed:
    def __init__(self, r, ranks, isRelative):
        check(ranks, "a list without ranks")
        self.isConstant, self.isFar, self.isRelative = True, False, isRelative
        self.values = dict(zip(ranks, IntStream(r), strict=True))
        if isRelative:
            self.values = {rank: signed(value + rank) for rank, value in self.values.items()}

    def value(self, rank, own, size):
        return self.values.get(rank, 0)


class InGrid:
    """The sum over dimensions of what a place in them adds."""

    def __init__(self, r, ranks, isOfWorld):
        check(ranks, "a grid without ranks")
        number, self.first = r.byte(), r.svarint()
        check(1 <= number <= 4, "dimensions of a grid")
        self.steps = []
        for i in range(number):
            extent = r.varint() if i + 1 < number else None
            check(extent is None or extent >= 1, "an empty extent")
            self.steps.append((extent, r.svarint()))
        self.places = None if isOfWorld else {rank: place for place, rank in enumerate(ranks)}
        self.isConstant, self.isRelative = True, False
        self.isFar = isOfWorld and max(map(abs, (self.first, *(step for _, step in self.steps)))) > 1 << 36

    def unit(self):
        """Of a grid of the world, whose ranks need not be in all places."""
        used = [step for extent, step in self.steps if extent is None or extent > 1]
        return math.gcd(*used)

    def value(self, rank, own, size):
        left, value = rank if self.places is None else self.places.get(rank, 0), self.first
        for extent, step in self.steps:
            left, at = divmod(left, extent) if extent else (0, left)
            value += step * at
        return signed(value)


class InTorus:
    """The neighbour of the own rank in a grid that closes in itself."""

    def __init__(self, r, ranks):
        check(ranks, "a neighbour without ranks")
        number = r.byte()
        check(1 <= number <= 4, "no grid")
        self.isConstant = self.isFar = self.isRelative = False
        self.grid = []
        for _ in range(number - 1):
            extent = r.varint((1 << 24) + 1)
            self.grid.append((extent, r.varint(extent)))
        self.grid.append((None, r.varint((1 << 24) + 1)))
        check(math.prod(extent for extent, _ in self.grid[:-1]) <= 1 << 24, "no grid")

    def value(self, rank, own, size):
        value, stride = own, 1
        for extent, step in self.grid:
            extent = extent or max(size // stride, 1)
            at = own // stride % extent
            value += ((at + step) % extent - at) * stride
            stride *= extent
        return value


class Rescaled:
    """As an earlier function in other units."""

    def __init__(self, r, ranks, earlier):
        check(earlier is not None, "what follows from nothing")
        values, unit = earlier[-1 - r.varint(len(earlier))]
        factor, begin = r.varint(), r.svarint()
        check(factor and list(values) == list(ranks or []), "not the same ranks")
        first = next(iter(values.values()))
        begin += abs(first * factor) // unit * (1 if first > 0 else -1)
        self.values = {rank: signed(begin + (value - first) // unit * factor) for rank, value in values.items()}
        self.isConstant = True

    def value(self, rank, own, size):
        return self.values.get(rank, 0)


class RankFunction:
    def __init__(self, r, ranks, limit, earlier=None):
        """Earlier: values and unit of those that others may follow from."""
        head = r.byte()
        if head == 12:
            self.pieces = [(set(ranks or []), Rescaled(r, ranks, earlier))]
            return
        number = r.varint(13) if head == 8 else 1
        check(head != 8 or number >= 2, "one piece is none")
        self.pieces, rest = [], list(ranks or [])
        for i in range(number):
            own = readRankSet(r, limit) if i + 1 < number else rest
            rest = [rank for rank in rest if rank not in set(own)]
            self.pieces.append((set(own), self.way(r, r.byte() if head == 8 else head, own)))
        self.isSingle = number == 1 and isinstance(self.pieces[0][1], Explained)
        if earlier is not None and not self.isSingle:
            self.enter(ranks, earlier, number)

    @staticmethod
    def way(r, head, ranks):
        if head in (9, 14):
            return Listed(r, ranks, head == 14)
        if head in (10, 13):
            return InGrid(r, ranks, head == 10)
        return InTorus(r, ranks) if head == 11 else Explained(r, head)

    def enter(self, ranks, earlier, number):
        ways = [way for _, way in self.pieces]
        if number > 1 and not all(isinstance(way, Explained) and way.isConstant for way in ways):
            return
        if not ways[0].isConstant or ways[0].isRelative or ways[0].isFar:
            return
        values = {rank: self.value(rank) for rank in ranks}
        first = next(iter(values.values()))
        if number > 1:
            if any(not -1 << 63 <= value - first < 1 << 63 for value in values.values()):
                return
        elif max(values.values()) - min(values.values()) >= 1 << 63:
            return
        unit = math.gcd(*(value - first for value in values.values()))
        if isinstance(ways[0], InGrid) and ways[0].places is None:
            unit = ways[0].unit()
        if unit:
            earlier.append((values, unit))

    def single(self):
        return getattr(self, "isSingle", False)

    def constant(self):
        """Whether a rank's value is said without its own rank and size."""
        return all(way.isConstant for _, way in self.pieces)

    def value(self, rank, own=0, size=0):
        if self.single():
            return self.pieces[0][1].value(rank, own, size)
        for ranks, way in self.pieces:
            if rank in ranks:
                return way.value(rank, own, size)
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


from chunks import Chunk  # which uses what is above
