"""The section measures, by docs/format.md alone."""

from collections import Counter
from copy import copy

from values import check  # which takes chunks along
from chunks import Coder
from tables import OF_TRACER, SIGNATURES

PATHS = 65
BEGIN, OTHERS, EVENT, CALL = range(4)


def difference(value):
    """As an svarint says it."""
    return (value >> 1) ^ -(value & 1)


class Spread:
    def __init__(self, count=0):
        self.count, self.sum, self.squares = count, 0, 0
        self.min, self.max, self.minRank, self.maxRank = (1 << 64) - 1, 0, 0, 0
        self.bins = []

    def withoutBins(self):
        out = copy(self)
        out.bins = []
        return out

    def text(self):
        return (f"{self.count} {self.sum} {self.squares} {self.min}@{self.minRank} {self.max}@{self.maxRank}"
                + binsText(self.bins))


def binsText(bins):
    return "".join(f" {bin}:{times}" for bin, times in bins)


class Measure:
    def __init__(self, place):
        self.place, self.calls, self.duration, self.gaps, self.gapBins = place, 0, Spread(), [], []
        self.isOnce = False

    def isTimed(self):
        return self.duration.max > 0 or bool(self.gaps)

    def gap(self):
        return sum(spread.sum for _, spread in self.gaps)


class Numbers(Coder):
    """The numbers of the section. Models are found by name."""

    def __init__(self, data, world, ranks):
        super().__init__(data)
        self.last = {}
        self.onlyRank = ranks[0] if len(ranks) == 1 else None
        self.rankBits = (world - 1).bit_length()
        self.exact = bool(self.raw(1))
        self.models["histograms"] = 65536 - 256, 0
        self.hasBins, self.isByPath = bool(self.decision("histograms", whole=True)), False
        if self.hasBins:
            self.isByPath = bool(self.raw(1))
            check(10_000 <= self.raw(20) <= 500_000, "the error of histograms")

    def decision(self, *name, whole=False):
        return self.decide(name[0] if whole else name)

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
            self.rest(name, out, 7 if self.isOnce else 5)
            if self.hasBins and (name == "duration" or self.isByPath):
                out.bins = self.bins(name)
        return out

    def bins(self, name):
        out, before = [], 0
        number = self.number("bins")
        check(number <= 4096, "bins")
        first = self.number("first bin") if number else 0
        check(first <= 4096, "the first bin")
        for at in range(first, first + number):
            before = self.tree("bin", name, min(before // 2, 7))
            out.append((at, self.digits(before, 64 if self.exact else 6)))
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

    def ofRanks(self, most, sums):
        """Two spreads of the same ranks."""
        ranks = most if self.decision("all") else self.number("ranks")
        check(ranks <= most, "more ranks than a node has")
        out = []
        for name, total in zip(("rank duration", "rank gap"), sums):
            spread = Spread(ranks)
            if ranks:
                spread.sum = total
                self.rest(name, spread, 7)
            out.append(spread)
        return out

    def measure(self, measure, index, event, ranks):
        measure.duration.count = measure.calls
        if not self.decision("timed"):
            measure.duration.min = 0
            return
        self.isOnce = measure.isOnce = 1 < ranks >= measure.calls and self.decision("once")
        measure.duration = self.spread("duration", measure.calls)
        number = 1 if measure.isOnce else self.number("paths")
        check(number <= PATHS, "paths")
        heads, first = [], measure.calls
        for i in range(number):
            high = self.decision("kind")
            kind, to = high << 1 | self.decision("kind", high), 0
            if kind == EVENT:
                to = event - difference(self.number("event"))
            elif kind == CALL:
                to = index - difference(self.number("call"))
            check(0 <= to < 1 << 32, "where a path comes from")
            count = None
            if i:
                count = self.number("count", most=64 if self.exact else 14)
                check(0 < count < first, "how often a path was taken")
                first -= count
            heads.append(((kind, to), count))
        for path, count in heads:
            measure.gaps.append((path, self.spread("gap", first if count is None else count)))
        if self.hasBins and not self.isByPath and number:
            measure.gapBins = self.bins("gap")


def readReferences(trace, numbers, event):
    for _, (_, items) in event.items:
        for item in items:
            if item[0]:
                continue
            known, item[2] = {}, []
            for variant in trace.tables[SIGNATURES][item[1]]:
                place = tuple(variant.tokens[:3])
                if place not in known:
                    if numbers.decision("known"):
                        back = numbers.number("back")
                        check(back < len(event.measures), "a measure that was referred to before")
                        known[place] = event.measures[-1 - back]
                        check(known[place].place == place, "a measure of another call")
                    else:
                        known[place] = Measure(place)
                        event.measures.append(known[place])
                item[2].append(known[place])


def countCalls(trace, event, counts):
    for ranks, (_, items) in event.items:
        for rank in ranks:
            for item in items:
                if (number := counts[id(item), rank]) and not item[0]:
                    which = trace.tables[SIGNATURES][item[1]].index(trace.variant(SIGNATURES, item[1], rank))
                    item[2][which].calls += number


def readPlaces(numbers, event):
    ranks = len(event.node.ranks)
    for measure in event.measures:
        if measure.isTimed() and measure.place not in event.places:
            own = [m for m in event.measures if m.place == measure.place]
            if measure.isOnce:
                check(len(own) == 1, "other calls at a place with once")
                event.places[measure.place] = [measure.duration.withoutBins(), measure.gaps[0][1].withoutBins()]
                continue
            sums = sum(m.duration.sum for m in own), sum(m.gap() for m in own)
            event.places[measure.place] = numbers.ofRanks(ranks, sums)
    event.places = {place: spreads for place, spreads in event.places.items() if spreads[0].count}


def readNodes(trace, numbers, group):
    sums, parts = {id(node): [0, 0] for node in group.nodes}, {id(node): [] for node in group.nodes}
    for event in group.events:
        for measure in event.measures:
            function, _, depth = measure.place
            if depth == 0:
                own = sums[id(event.node)]
                own[trace.functions[function].level == OF_TRACER] += measure.duration.sum
                own[1] += measure.gap()
        parts[id(event.node)] += [times for place, times in event.places.items() if place[2] == 0]
    for node in reversed(group.nodes):
        if node.parent:
            sums[id(node.parent)] = [a + b for a, b in zip(sums[id(node.parent)], sums[id(node)])]
    for node in reversed(group.nodes):
        own = parts[id(node)]
        node.times = (own[0] if len(own) == 1 < len(node.ranks) and numbers.decision("part") else
                      numbers.ofRanks(len(node.ranks), sums[id(node)]))
        if node.parent and node.times[0].count:
            parts[id(node.parent)].append(node.times)


def readMeasures(trace, itemsOf):
    """itemsOf(trace, group, rank): (cursor, item) for each call."""
    r = trace.measured
    if not r.data:
        return False
    numbers = Numbers(r.take(len(r.data)), trace.world, sorted(trace.ranks))
    for group in trace.groups:
        counts = Counter((id(item), rank) for rank in group.ranks for _, item in itemsOf(trace, group, rank))
        for index, event in enumerate(group.events):
            readReferences(trace, numbers, event)
            countCalls(trace, event, counts)
            for i, measure in enumerate(event.measures):
                numbers.measure(measure, i, index, len(event.node.ranks))
            for measure in event.measures:
                for kind, to in (path for path, _ in measure.gaps):
                    check(kind != CALL or to < len(event.measures), "a path from a call")
                    check(kind != EVENT or to < len(group.events), "a path from an event")
            readPlaces(numbers, event)
        readNodes(trace, numbers, group)
    check(numbers.at >= len(numbers.data), "bytes are left over")
    return True


def timesText(trace, head):
    """All that was read, a line each. head(function, depth, site): the text of a call."""
    for group in trace.groups:
        number = {id(node): i for i, node in enumerate(group.nodes)}
        ofEvent = lambda event: f"{number[id(event.node)]}.{event.number}"
        for node in group.nodes:
            for event in sorted((e for e in group.events if e.node is node), key=lambda e: e.number):
                where = f"thread {group.thread} event {ofEvent(event)}"
                ofCall = lambda place: head(place[0], place[2], place[1])
                for measure in event.measures:
                    yield f"{where} {ofCall(measure.place)} took {measure.duration.text()}"
                    if measure.gapBins:
                        yield f"{where} gaps{binsText(measure.gapBins)}"
                    lines = []
                    for (kind, to), spread in measure.gaps:
                        after = ("begin" if kind == BEGIN else "others" if kind == OTHERS else
                                 ofEvent(group.events[to]) if kind == EVENT else f"call {to}")
                        lines.append(f"{where} after {after} {spread.text()}")
                    yield from sorted(lines)
                yield from sorted(f"{where} ranks {ofCall(place)} in {a.text()} before {b.text()}"
                                  for place, (a, b) in event.places.items())
            inMpi, outside = node.times
            yield f"thread {group.thread} node {number[id(node)]} in {inMpi.text()} outside {outside.text()}"
