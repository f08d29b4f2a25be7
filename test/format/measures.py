"""The section measures, by docs/format.md alone."""

from chunks import Coder
from values import check, signed

PATHS = 65
BEGIN, OTHERS, EVENT, CALL = range(4)


class Spread:
    def __init__(self, count=0):
        self.count, self.sum, self.squares = count, 0, 0
        self.min, self.max, self.minRank, self.maxRank = (1 << 64) - 1, 0, 0, 0

    def text(self):
        return f"{self.count} {self.sum} {self.squares} {self.min}@{self.minRank} {self.max}@{self.maxRank}"


class Measure:
    def __init__(self, place):
        self.place, self.calls, self.duration, self.gaps = place, 0, Spread(), []

    def isTimed(self):
        return self.duration.max > 0 or bool(self.gaps)

    def gap(self):
        return sum(spread.sum for _, spread in self.gaps)


class Numbers(Coder):
    """The numbers of the section. Models are found by name."""

    def __init__(self, data, world, ranks):
        super().__init__(data)
        self.named, self.last = {}, {}
        self.onlyRank = ranks[0] if len(ranks) == 1 else None
        self.rankBits = (world - 1).bit_length()
        self.exact = bool(self.raw(1))

    def decision(self, *name):
        zero, seen = self.named.get(name, (1 << 15, 0))
        bound = (self.range >> 16) * zero
        one = self.code >= bound
        if one:
            self.code -= bound
            self.range -= bound
        else:
            self.range = bound
        rate = 2 * 65536 // (2 * seen + 3)
        zero += -((zero - 32) * rate >> 16) if one else (65536 - 32 - zero) * rate >> 16
        self.named[name] = zero, min(seen + 1, 254)
        self.fill()
        return int(one)

    def tree(self, *name):
        value = 1
        for _ in range(7):
            value = value << 1 | self.decision(*name, value)
        return value & 127

    def digits(self, magnitude, most):
        magnitude = min(magnitude, 64)
        if magnitude < 2:
            return magnitude
        written = min(magnitude, most) - 1
        return (1 << written | self.raw(written)) << (magnitude - 1 - written)

    def number(self, *name, most=64):
        return self.digits(self.tree(*name), most)

    def relative(self, *name, base, most):
        return self.digits((self.tree(*name) - 64 + base.bit_length()) & 127, most)

    def rank(self, name, which):
        if self.onlyRank is not None:
            return self.onlyRank
        if not self.decision("same"):
            self.last[name, which] = self.raw(self.rankBits)
        return self.last.get((name, which), 0)

    def spread(self, name, count):
        out = Spread(count)
        if count:
            out.sum = (self.number(name, "sum") if self.exact
                       else self.relative(name, "sum", base=count, most=14))
            self.rest(name, out, 5)
        return out

    def rest(self, name, out, most):
        if out.count == 1:
            out.min = out.max = out.sum
            out.squares = out.sum**2
            out.minRank = out.maxRank = self.rank(name, 0)
            return
        if self.exact:
            out.squares = self.number(name, "squares") << 64
            out.squares |= self.number(name, "squares")
            out.min, out.max = self.number(name, "min"), self.number(name, "max")
        else:
            mean = out.sum // out.count
            deviation = self.relative(name, "deviation", base=mean, most=5)
            whole = 256 * out.count
            out.squares = (deviation**2 * out.count * out.count + out.sum**2 * 256 + whole // 2) // whole
            out.min = self.relative(name, "min", base=mean, most=most)
            out.max = self.relative(name, "max", base=mean, most=most)
        out.minRank, out.maxRank = self.rank(name, 0), self.rank(name, 1)

    def ofRanks(self, names, most, sums):
        """Two spreads of the same ranks."""
        ranks = most if self.decision("all") else self.number("ranks")
        check(ranks <= most, "more ranks than a node has")
        out = []
        for name, total in zip(names, sums):
            spread = Spread(ranks)
            if ranks:
                spread.sum = total
                self.rest(name, spread, 7)
            out.append(spread)
        return out

    def measure(self, measure, index, event):
        measure.duration.count = measure.calls
        if not self.decision("timed"):
            measure.duration.min = 0
            return
        measure.duration = self.spread("duration", measure.calls)
        number = self.number("paths")
        check(number <= PATHS, "paths")
        heads, first = [], measure.calls
        for i in range(number):
            high = self.decision("kind")
            kind, to = high << 1 | self.decision("kind", high), 0
            if kind == EVENT:
                to = event - signed(self.number("event"))
            elif kind == CALL:
                to = index - signed(self.number("call"))
            check(0 <= to < 1 << 32, "where a path comes from")
            count = None
            if i:
                count = self.number("count", most=64 if self.exact else 14)
                check(0 < count < first, "how often a path was taken")
                first -= count
            heads.append(((kind, to), count))
        for path, count in heads:
            measure.gaps.append((path, self.spread("gap", first if count is None else count)))
