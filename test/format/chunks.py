"""Chunks: stretches of sequences that do not repeat, by docs/format.md alone."""

from values import Bytes, check, signed, unpack

MASK, ORDERS, MOST = (1 << 32) - 1, (0, 1, 2, 4), 1 << 18
ITEMS, INDICES, NUMBERS, STEPS, TEXT = range(5)


class Coder:
    """Binary decisions, and the models of how probable they are."""

    def __init__(self, data):
        self.data, self.at = data, 0
        self.range, self.code = MASK, 0
        self.models = {}
        for _ in range(4):
            self.code = self.code << 8 | self.next()

    def next(self):
        self.at += 1
        return self.data[self.at - 1] if self.at <= len(self.data) else 0

    def fill(self):
        while self.range < 1 << 24:
            self.code = (self.code << 8 | self.next()) & MASK
            self.range = self.range << 8 & MASK

    def bit(self, context, node):
        return self.decide(((context + node * 0x9E3779B1) * 0x85EBCA6B & MASK) >> 16)

    def decide(self, place):
        """A decision whose model has that place, or name."""
        zero, seen = self.models.get(place, (1 << 15, 0))
        bound = (self.range >> 16) * zero
        one = self.code >= bound
        if one:
            self.code -= bound
            self.range -= bound
        else:
            self.range = bound
        rate = 2 * 65536 // (2 * seen + 3)
        zero += -((zero - 32) * rate >> 16) if one else (65536 - 32 - zero) * rate >> 16
        self.models[place] = zero, min(seen + 1, 254)
        self.fill()
        return int(one)

    def raw(self, bits):
        value = 0
        while bits:
            now = min(bits, 8)
            bits -= now
            self.range >>= now
            digit = min(self.code // self.range, (1 << now) - 1)
            self.code -= digit * self.range
            value = value << now | digit
            self.fill()
        return value

    def count(self, context):
        """1 or more."""
        magnitude = 1
        while magnitude < 63 and self.bit(context, magnitude):
            magnitude += 1
        value = 1
        for _ in range(min(magnitude - 1, 3)):
            value = value << 1 | self.bit(context, magnitude << 8 | 1 << 16 | value)
        left = max(magnitude - 4, 0)
        return value << left | self.raw(left)

    def number(self, before):
        """0 or more, and its magnitude; before: that of the number before it."""
        node, context = 1, (before + 1) * 0x27D4EB2F & MASK
        for _ in range(7):
            node = node << 1 | self.bit(context, node)
        magnitude = min(node & 127, 64)
        if magnitude < 2:
            return magnitude, magnitude
        value = 1
        for _ in range(min(magnitude - 1, 4)):
            value = value << 1 | self.bit(magnitude * 0x165667B1 & MASK, value)
        left = max(magnitude - 5, 0)
        return value << left | self.raw(left), magnitude

    def items(self, elements, terminals, order):
        """Terminals, each with how often it comes in succession."""
        bits, before = (terminals - 1).bit_length(), [0] * 4
        for _ in range(elements):
            context = 0
            for earlier in before[:order]:
                context = (context ^ (earlier + 1)) * 0xCC9E2D51 & MASK
                context = (context << 15 | context >> 17) & MASK
                context = context * 0x1B873593 & MASK
            node = 1
            for _ in range(bits):
                node = node << 1 | self.bit(context, node)
            value = min(node - (1 << bits), terminals - 1)
            yield value, self.count((context ^ (value + 1)) * 0xC2B2AE35 & MASK)
            before = [value] + before[:3]


def itemsOf(data, length):
    r = Bytes(data)
    check(r.byte() == ITEMS, "a chunk of items")
    elements, order = r.varint(MOST + 1), r.byte()
    terminals = r.varint(1 << 31) + 1
    check(order in ORDERS, "the order of a chunk")
    items = list(Coder(r.take(len(data) - r.at)).items(elements, terminals, order))
    check(sum(count for _, count in items) == length, "a chunk has another length")
    return items, terminals


def valuesOf(data, length):
    r = Bytes(data)
    form, elements = r.byte(), r.varint(MOST + 1)
    out = []
    if form == INDICES:
        order, values = r.byte(), [0] * (r.varint() + 1)
        check(order in ORDERS and len(values) <= len(data), "a chunk of indices")
        for i in range(len(values)):
            values[i] = signed(values[i - 1] + r.varint()) if i else r.svarint()
        for value, count in Coder(r.take(len(data) - r.at)).items(elements, len(values), order):
            check(len(out) + count <= length, "a chunk has another length")
            out += [values[value]] * count
    elif form == TEXT:
        out = list(unpack(r.take(len(data) - r.at), elements))
    else:
        check(form in (NUMBERS, STEPS), "the form of a chunk")
        base, unit, magnitude = r.svarint(), r.varint(), 0
        check(unit, "a chunk divided by 0")
        coder, last = Coder(r.take(len(data) - r.at)), base
        for _ in range(elements):
            number, magnitude = coder.number(magnitude)
            if form == NUMBERS:
                out.append(signed(number * unit + base))
            else:
                last = signed(last + ((number >> 1) ^ -(number & 1)) * unit)
                out.append(last)
    check(len(out) == length, "a chunk has another length")
    return out


class Chunk:
    """A place in the section of chunks, and what is said of it."""

    def __init__(self, r, areItems):
        place, size, length = r.varint(), r.varint(), r.varint()
        chunks = getattr(r, "chunks", b"")
        check(size and place + size <= len(chunks) and length, "no such chunk")
        data = chunks[place : place + size]
        self.length = length
        if not areItems:
            check(length <= MOST, "a chunk is too long")
            self.values = valuesOf(data, length)
            return
        self.terminals = r.varint((1 << 31) + 1)
        self.items, own = itemsOf(data, length)
        check(own <= self.terminals, "a chunk has more terminals")
