"""The section times, and the frames of times among the chunks, by docs/format.md alone."""

from math import isqrt
from struct import unpack

from chunks import Coder
from measures import difference
from timeseries import PublishedBins, SeriesBlock, SeriesModel
from values import Bytes, check, xxh32

DURATION, GAP = range(2)
ALL, LEAST_STATE = 1 << 14, 1 << 15
ESCAPED, NEGATIVE = -1, 4096
MOST = (1 << 64) - 1


class Numbers(Coder):
    def number(self, *name):
        width = 0
        while width < 64 and self.decide((*name, "longer", min(width, 20))):
            width += 1
        if width < 2:
            return width
        left, value = width - 1, 1
        for _ in range(min(left, 2)):
            value = value << 1 | self.decide((*name, "top", min(width, 20), value))
            left -= 1
        return value << left | self.raw(left)


class Bins:
    """What symbols stand for. relative in millionths, absolute in ticks."""

    def __init__(self, relative, absolute):
        self.bound = relative, absolute
        self.last, self.middle, self.step, self.exact = [], [], 2 * absolute + 1, not relative and not absolute
        self.kept = 64
        if relative:
            self.makeBins(relative)
            if not self.last:
                kept = 1
                while 10**6 > relative << (kept + 1):
                    kept += 1
                self.kept = max(kept - 4, 0)
        self.size = len(self.last) or 61 << 4

    def makeBins(self, e):
        last, middle = [0], [0]
        while last[-1] != MOST:
            if len(last) == 4096:
                return
            first = last[-1] + 1
            most = min(first * (10**6 + e) // 10**6, MOST)
            border = min(most * 10**6 // (10**6 - e), first * (10**6 + e) ** 2 // 10**12, MOST)
            least = (border * (10**6 - e) + 10**6 - 1) // 10**6
            middle.append(min(max(isqrt(first * border), least), most))
            last.append(border)
        self.last, self.middle = last, middle

    def width(self, symbol):
        return self.last[symbol] - self.last[symbol - 1]

    def read(self, symbol, raw, unit, drift):
        check(symbol < self.size, "a symbol")
        if self.last:
            room = max(drift // 4, 1)
            wide = next((s for s in range(1, self.size) if self.width(s) > room), self.size) if drift else self.size
            if symbol < wide:
                return self.middle[symbol]
            bits = ((self.width(symbol) - 1) // room).bit_length()
            fine = raw(bits)
            return self.last[symbol - 1] + 1 + ((2 * fine + 1) * self.width(symbol) >> bits + 1)
        unit = unit if self.exact else 1
        low = 0 if symbol < 32 else (symbol >> 4) - 1
        bits = min(low, self.kept)
        if symbol < 16:
            return symbol * self.step * unit
        top, dropped = 16 + (symbol & 15), low - bits
        value = top << low | raw(bits) << dropped | (1 << dropped - 1 if dropped else 0)
        return (value * self.step & MOST) * unit & MOST


class Histogram:
    """Counts by symbol, ascending, as shares."""

    def __init__(self, kind=0, pair=0, counts=()):
        self.kind, self.pair, self.counts = kind, pair, counts
        total = sum(count for _, count in counts)
        escapes = (sum(count == 1 for _, count in counts) + 1) // 2
        total += escapes
        left = ALL - max(escapes * ALL // max(total, 1), 1)
        sizes = [max(count * ALL // total, 1) for _, count in counts]
        left -= sum(sizes)
        if sizes and left > 0:
            sizes[max(range(len(sizes)), key=lambda i: (counts[i][1], -i))] += left
        while sizes and left < 0:
            most = max(range(len(sizes)), key=lambda i: (sizes[i], -i))
            taken = min(-left, (sizes[most] + 1) // 2)
            sizes[most] -= taken
            left += taken
        self.shares, start = [], 0
        for (symbol, _), size in zip(counts, sizes):
            self.shares.append((symbol, start, size))
            start += size
        self.shares.append((ESCAPED, start, ALL - start))

    def find(self, share):
        return next(entry for entry in self.shares if share < entry[1] + entry[2])


class Model:
    def __init__(self, data):
        r = Bytes(data)
        code = Numbers(r.string())
        r.end()
        self.unit, self.precision = code.number("unit"), code.raw(3)
        check(self.unit and self.precision, "a model")
        self.rows, self.members = [], ({}, {})  # of durations, and of gaps: by context, (class, histogram)
        for kind in range(2):
            following, before = 0, len(self.rows)
            for _ in range(code.number("members", kind)):
                group = following + code.number("context", kind)
                following = group + 1
                if code.decide(("new", kind)):
                    self.rows.append(self.readRow(code, kind))
                    row = self.rows[-1]
                else:
                    back = code.number("row")
                    check(back < len(self.rows) - before, "a histogram that is shared")
                    row = self.rows[-1 - back]
                self.members[kind].setdefault(group >> 4, []).append((group & 15, row))
        self.fallbacks = {}
        for kind, pair in {(row.kind, row.pair) for row in self.rows}:
            sums = {}
            for row in self.rows:
                if (row.kind, row.pair) == (kind, pair):
                    for symbol, count in row.counts:
                        sums[symbol] = min(sums.get(symbol, 0) + count, 1 << 30)
            self.fallbacks[kind, pair] = Histogram(kind, pair, sorted(sums.items()))

    def readRow(self, code, kind):
        pair, size = code.number("pair"), code.number("size") + 1
        check(pair < 128 and size <= 8192, "a histogram")
        counts, symbol, level, far = [], 0, 0, 1
        for i in range(size):
            bucket = sum(level >= least for least in (2, 5, 10))
            if i == 0:
                symbol = code.number("first", kind)
            else:
                more = code.number("step", bucket)
                far = int(more > 0)
                symbol += more + 1
            level += difference(code.number("level", bucket, far))
            check(symbol < 8192 and level > 0, "a histogram's symbol")
            p = self.precision
            counts.append((symbol, level if level < 2 << p else
                           (1 << p | level & (1 << p) - 1) << (level >> p) - 1))
        return Histogram(kind, pair, counts)

    def row(self, kind, context, before, pair):
        members = self.members[kind].get(context)
        if not members:
            return self.fallback(kind, pair)
        return [row for least, row in members if least <= before or least == members[0][0]][-1]

    def fallback(self, kind, pair):
        return self.fallbacks.get((kind, pair)) or Histogram()


class Block:
    def __init__(self, r):
        self.calls, self.first = r.varint(), r.varint()
        r.varint(), r.varint()  # earliest and latest
        self.drift = r.varint()
        corrections, raw = r.string(), r.string()
        self.step = 1 if self.drift < 16 else self.drift // 8
        self.corrections = {}
        if corrections:
            code, at = Numbers(corrections), 0
            number = code.number("number")
            for i in range(number):
                at += 1 + code.number("distance")
                check(at < self.calls, "a correction")
                self.corrections[at] = difference(code.number("steps")) * self.step
        self.held, self.bits = int.from_bytes(raw, "little"), 0
        self.rawBytes = len(raw)
        words = r.count()
        self.state = list(unpack("<II", r.take(8)))
        self.words = unpack(f"<{words}H", r.take(2 * words))
        self.at = 0

    def raw(self, bits):
        value = self.held & (1 << bits) - 1
        self.held >>= bits
        self.bits += bits
        return value

    def symbol(self, kind, *histograms):
        """Tries the histograms in turn; behind them, each symbol is as probable as another."""
        for histogram in histograms:
            symbol, start, size = histogram.find(self.state[kind] % ALL)
            self.advance(kind, start, size)
            if symbol != ESCAPED:
                return symbol
        symbol = self.state[kind] % ALL // 2
        self.advance(kind, 2 * symbol, 2)
        return symbol

    def advance(self, kind, start, size):
        state = size * (self.state[kind] >> 14) + self.state[kind] % ALL - start
        if state < LEAST_STATE:
            check(self.at < len(self.words), "times end early")
            state = state << 16 | self.words[self.at]
            self.at += 1
        self.state[kind] = state

    def times(self, model, bounds, contexts):
        """contexts: (place, pair of bounds, path) of each call."""
        def read(kind, context, pair):
            row, fallback = model.row(kind, context, before, pair), model.fallback(kind, pair)
            symbol = self.symbol(kind, *((row,) if row is fallback else (row, fallback)))
            time = bounds[pair][kind].read(symbol & 4095, self.raw, model.unit, self.drift)
            return -time if symbol & NEGATIVE else time

        now, before = self.first, 0
        for i, (place, pair, path) in enumerate(contexts):
            if i:
                now += read(GAP, path, pair) + self.corrections.get(i, 0)
            duration = read(DURATION, place, pair)
            before = min(duration.bit_length() // 2, 15)
            yield now & MOST, duration
            now += duration
        check(self.at == len(self.words) and self.state == [LEAST_STATE] * 2, "times are left over")
        check((self.bits + 7) // 8 == self.rawBytes, "raw bits")


def unsealed(chunk):
    check(len(chunk) >= 4 and unpack("<I", chunk[-4:])[0] == xxh32(chunk[:-4]), "the checksum of a frame")
    return chunk[:-4]


class RankTimes:
    """Of a thread of a rank. calls(places): (start, duration) in ticks, given the calls' (node, event, place)."""

    def __init__(self, r, chunks, bounds, contexts):
        self.bounds, self.contexts, self.coding = bounds, contexts, 0
        self.clock, self.tick = r.varint(), unpack("<d", r.take(8))[0]
        self.origin = r.varint()

        def chunk():
            place, size, length = r.varint(), r.varint(), r.varint()
            check(size and place + size <= len(chunks) and length, "no such chunk")
            return chunks[place : place + size], length

        self.models = [chunk()[0] for _ in range(r.count())]
        self.frames, last = [], self.origin
        for _ in range(r.count()):
            frame = chunk()
            last += r.svarint() + r.varint()
            r.varint()  # the sum of durations
            self.frames.append(frame)

    def calls(self, places):
        numbers, paths = self.contexts
        ofFunction = {function: 1 + i for i, function in enumerate(self.bounds[1])}
        pairs = [self.bounds[0], *self.bounds[1].values()]
        if self.coding:
            pairs = [tuple(PublishedBins(*bins.bound) for bins in pair) for pair in pairs]
        signatures, known = [], {}
        for _, _, call in sorted(numbers, key=numbers.get):
            signatures.append(known.setdefault(call, len(known)))
        models, before = {}, 0
        for data, length in self.frames:
            r, left = Bytes(unsealed(data)), length
            while r.at < len(r.data):
                which = r.varint(max(len(self.models), 1))
                block = SeriesBlock(r, self.coding) if self.coding else Block(r)
                left -= block.calls
                contexts = []
                for _ in range(block.calls):
                    call = next(places, None)
                    check(call in numbers, "a call that has no context")
                    place = numbers[call]
                    check((before, place) in paths, "a path that has no context")
                    contexts.append((place, ofFunction.get(call[2][0], 0), paths[before, place]))
                    before = place + 1
                if which not in models and self.models:
                    models[which] = (SeriesModel if self.coding else Model)(unsealed(self.models[which]))
                if self.coding:
                    yield from block.times(models.get(which), pairs, contexts, signatures)
                else:
                    yield from block.times(models[which], pairs, contexts)
            check(left == 0, "calls of a frame")


def readTimes(trace):
    """By (thread, rank)."""
    r, out = trace.times, {}
    if not r.data:
        return out
    r.varint()  # how much of the chunks the checksum of their section is of
    bound = lambda: (r.varint(500_001), r.varint((1 << 40) + 1))
    sets = []
    for _ in range(r.count()):
        durations, gaps = Bins(*bound()), Bins(*bound())
        own = {}
        for _ in range(r.count()):
            function, both = r.varint(), Bins(*bound())
            own[function] = both, both
        sets.append(((durations, gaps), dict(sorted(own.items()))))
    clocks = [r.u64() for _ in range(r.count())]
    for group in trace.groups:
        lists = []
        for _ in range(r.count()):
            numbers, paths, index = {}, {}, 0
            for _ in range(r.count()):
                index += r.svarint()
                check(0 <= index < len(group.events), "an event of times")
                event = group.events[index]
                known = list(dict.fromkeys(measure.place for measure in event.measures))
                which = r.varint(len(known))
                numbers.setdefault((id(event.node), event.number, known[which]), len(numbers))
            for _ in range(r.count()):
                place = r.svarint()
                before = r.varint(len(numbers) + 1)
                paths.setdefault((before, place + before), len(paths))
            lists.append((numbers, paths))
        rank = 0
        for _ in range(r.count()):
            rank += r.varint()
            check(rank in group.ranks, "times of a rank")
            which, bounds = r.varint(len(lists)), r.varint(len(sets))
            times = RankTimes(r, trace.chunkBytes, sets[bounds], lists[which])
            check(times.clock < len(clocks), "a clock")
            times.rank, times.clock, times.set = rank, clocks[times.clock], bounds
            out[group.thread, rank] = times
    compared = {}
    if r.at < len(r.data):
        what = r.varint()
        check(what in (1, 2, 3), "more about times")
        if what & 1:
            codings = [r.varint(24) for _ in sets]
            check(all(coding % 4 < 3 for coding in codings), "a coding of times")
            for times in out.values():
                times.coding = codings[times.set]
        if what & 2:
            compared = readClocks(r, clocks)
    r.end()
    findBases(out, compared)
    return out


def readClocks(r, clocks):
    """By clock: the one that it was compared with, and both at the first and at the last time."""
    compared = {}
    for clock in clocks:
        if count := r.count():
            reference, points, own, other = r.varint(len(clocks)), [], 0, 0
            for _ in range(count):
                own, other = own + r.varint(), other + r.varint()
                r.varint()  # by how much that may be off
                points.append((own, other))
            compared[clock] = clocks[reference], points[0], points[-1]
    return compared


def findBases(out, compared):
    """Times count from where the first rank of a clock began, or of the clocks that were compared; without a known clock,
    where the rank began."""
    firsts = {}
    for times in out.values():
        first = firsts.setdefault(times.clock or ("rank", times.rank), times)
        if times.origin < first.origin:
            firsts[times.clock] = times

    def line(clock):
        """(root, tick, seconds then, length of a tick in nanoseconds)"""
        first = firsts[clock]
        if clock in compared and compared[clock][0] in firsts:
            reference, (own, other), (lastOwn, lastOther) = compared[clock]
            root, tick, then, length = line(reference)
            slope = length * (lastOther - other) / (lastOwn - own) if lastOwn > own else first.tick
            return root, own, then + (other - tick) * length / 1e9, slope
        return clock, first.origin, 0.0, first.tick

    lines = {clock: line(clock) for clock in firsts}
    begins = {}
    for times in out.values():
        root, tick, then, length = lines[times.clock or ("rank", times.rank)]
        began = then + (times.origin - tick) * length / 1e9
        begins[root] = min(begins.get(root, began), began)
    for times in out.values():
        root, times.base, then, times.length = lines[times.clock or ("rank", times.rank)]
        times.begin = then - begins[root]
