#!/usr/bin/env python3
"""A second reader of trace files, written from docs/format.md alone.

    reader.py TRACE

prints every call in the form that test/unit/CallText.h describes. Standard
library only; packed sections need libzstd, which is loaded if it is there.
"""

import struct
import sys

from values import Always, Bytes, Damaged, Grammar, IntStream, MAX_WORLD, RankFunction, check, readRankSet, unpack, xxh32
from values import SumsElement, TransposedElement

COMM, DATATYPE, WIN, FILE = 10, 11, 14, 15
OBJECT_WORDS = {COMM: 5, DATATYPE: 2, WIN: 3, FILE: 3}

(ABSENT, NULL, NAME, WORD, ARRAY, STRING, OBJECT, OBJECTS, HEAP, STACK, DATA, MAP,
 RAW, STATUS, STATUSES, STREAM) = range(16)
SUMS, TRANSPOSED = 16, 17  # of an earlier array
# Words of a value, or of each of its elements.
WORDS = {WORD: 1, ARRAY: 1, HEAP: 2, STACK: 1, DATA: 1, MAP: 2, RAW: 1, STATUS: 4,
         STATUSES: 4}
STRINGS, SITES, OBJECTS_TABLE, SIGNATURES, PATHS = range(5)
SITE, CALL, LOOP, ARM = range(4)  # kinds of events


class Variant:
    def __init__(self, ranks, tokens, words):
        self.ranks, self.tokens, self.words = ranks, tokens, words


class Function:
    def __init__(self, name, slots):
        self.name, self.slots = name, slots


# The file --------------------------------------------------------------------


class Trace:
    def __init__(self, data):
        check(data[:8] == b"PILGRIM\n", "not a Pilgrim trace")
        check(len(data) >= 45, "cut short")
        version, checksum, size, packing, *sizes = struct.unpack_from("<IIQB5I", data, 8)
        check(version == 3, f"version {version}")
        check(size == len(data), "the size is not the file's")
        check(checksum == xxh32(data[16:]), "the checksum")
        check(packing <= 1, "packing")
        body = unpack(data[45:], sum(sizes)) if packing else data[45:]
        check(len(body) == sum(sizes), "the sections are not the file")
        sections, at = [], 0
        for size in sizes:
            sections.append(Bytes(body[at : at + size]))
            at += size
        meta, schema, tables, calls, times = sections
        self.readMeta(meta)
        self.readSchema(schema)
        self.tables = []
        for which in range(5):
            self.tables.append([])
            self.readTable(tables, which)
        self.readRegions(tables)
        self.readCalls(calls, times)
        for section in sections:
            section.end()

    def readMeta(self, r):
        self.world = r.varint(MAX_WORLD + 1)
        self.ranks = readRankSet(r, self.world)
        self.meta = {}
        for _ in range(r.count()):
            key = r.string()
            self.meta[key] = r.string()

    def readSchema(self, r):
        words = [r.string() for _ in range(r.count())]
        self.functions, self.names = {}, {}
        for _ in range(r.count()):
            ident = r.varint(1 << 32)
            check(ident not in self.functions, "a function occurs twice")
            name = words[r.varint(len(words))]
            number = r.varint() >> 1
            check(1 <= number <= 255, "number of slots")
            slots = []
            for _ in range(number):
                slot, kind, bits = words[r.varint(len(words))], r.byte(), r.byte()
                check(kind < 29 and bits < 64, "a slot's kind")
                key = words[r.varint(len(words))] if bits & 32 else None
                slots.append((slot, kind, bits, key))
            self.functions[ident] = Function(name, slots)
        for _ in range(r.count()):
            key, value = words[r.varint(len(words))], r.svarint()
            self.names[key, value] = words[r.varint(len(words))]

    def readTable(self, r, which):
        for _ in range(r.count()):
            head = r.varint()
            check(head >> 1 >= 1 and (head & 1 or head >> 1 == 1), "variants")
            entry = []
            for _ in range(head >> 1):
                ranks = readRankSet(r, self.world) if head & 1 else None
                check(ranks != [], "a variant of no rank")
                tokens, number = self.readTokens(r, which)
                if which == SIGNATURES:
                    words = self.readWords(r, ranks, tokens[3], number)
                else:
                    words = [RankFunction(r, ranks, self.world) for _ in range(number)]
                check(head & 1 or all(w.single() for w in words), "ranks not named")
                entry.append(Variant(ranks, tokens, words))
            self.tables[which].append(entry)

    def readTokens(self, r, which):
        """What the table says, and how many words follow."""
        ref = lambda table: r.varint(len(self.tables[table]))
        option = lambda table: r.varint(len(self.tables[table]) + 1) - 1
        if which == STRINGS:
            return r.string(), 0
        if which == SITES:
            return ref(STRINGS), 1
        if which == OBJECTS_TABLE:
            kind = r.varint()
            check(kind in OBJECT_WORDS, "no kind of object")
            return (kind, option(STRINGS)), OBJECT_WORDS[kind]
        if which == PATHS:
            events = [0]
            for _ in range(r.count()):
                events.append(events[-1] + 1 + r.svarint())
            return events[1:], 0
        function = r.varint()
        check(function in self.functions, "no such function")
        site, depth = option(SITES), r.varint(256)
        slots, derived = [], {}
        for place, _ in enumerate(self.functions[function].slots):
            tag, inner = r.varint(18), None
            if tag in (SUMS, TRANSPOSED):
                array = place - r.varint()
                check(0 <= array < place and slots[array][0] == ARRAY and slots[array][2], "no array to follow from")
                base_and_scale = (r.svarint(), r.svarint()) if tag == SUMS else None
                derived[place] = array, base_and_scale
                slots.append((ARRAY, None, slots[array][2]))
                continue
            if tag == STREAM:
                inner = r.varint(16)
                check(inner in WORDS, "cannot be streamed")
                slots.append((tag, inner, ref(STRINGS) if inner == DATA else None))
                continue
            about, number = None, WORDS.get(tag, 0)
            if tag in (NAME, STRING, DATA):
                about = ref(STRINGS)
            elif tag == OBJECT:
                about = ref(OBJECTS_TABLE)
            elif tag == OBJECTS:
                about = [ref(OBJECTS_TABLE) for _ in range(r.count())]
            elif tag in (ARRAY, STATUSES):
                number *= r.count()
            slots.append((tag, about, number))
        return (function, site, depth, slots), derived

    def readWords(self, r, ranks, slots, derived):
        """Of each slot in its order; arrays that follow from earlier ones have none in the file."""
        groups = []
        for place, (tag, _, number) in enumerate(slots):
            if place not in derived:
                count = 0 if tag == STREAM else number
                groups.append([RankFunction(r, ranks, self.world) for _ in range(count)])
                continue
            array, base_and_scale = derived[place]
            array = groups[array]
            check(all(f.constant() for f in array), "an array that depends on own ranks")
            if base_and_scale:
                groups.append([SumsElement(array[:i], *base_and_scale) for i in range(number)])
            else:
                check(ranks is not None and len(ranks) == number, "not as many ranks as elements")
                groups.append([TransposedElement(array, i, ranks) for i in range(number)])
        return [f for group in groups for f in group]

    def readRegions(self, r):
        strings = self.tables[STRINGS]
        text = lambda index: strings[index][0].tokens
        ref = lambda: r.varint(len(strings))
        head = r.varint()
        check(head >> 1 <= len(r.data), "functions")
        names = [text(ref()) for _ in range(head >> 1)]
        files = []
        for _ in names:
            file = r.varint(len(strings) + 1)
            check(file or files, "no file before this one")
            files.append(text(file - 1) if file else files[-1])
        ids = [r.u64() if head & 1 else i for i in range(len(names))]
        check(len(set(ids)) == len(ids), "a function occurs twice")
        regions = self.regions = []
        for function, number in enumerate([r.count() + 1 for _ in names]):
            regions += [Region(function) for _ in range(number)]
        before = None
        for region in regions:
            region.index = r.varint()
            if before and before.function == region.function:
                region.index += before.index + 1
            before = region
        numbers = [r.count() for _ in regions]
        for region, number in zip(regions, numbers):
            at = 0
            for _ in range(number):
                head = r.varint()
                at += 1 + (head >> 2)
                region.events[at] = RegionEvent(head & 3)
        events = [(region, number, event) for region in regions
                  for number, event in region.events.items()]
        line = 0
        for region in regions:
            for place in [region, *region.events.values()]:
                line += r.svarint()
                check(0 <= line < 1 << 32, "a line")
                place.line = line
        for region, number, event in events:
            back = r.varint(number)
            event.arm = number - back if back else 0
            check(not back or (event.arm in region.events
                               and region.events[event.arm].kind == ARM), "arm")
        mpi = []
        for function in [self.functions[i] for i in sorted(self.functions)]:
            mpi += [function.name, function.name.lower() + b"_"]
        for region, _, event in events:
            event.about = r.varint()
            if event.kind in (SITE, CALL):
                known = mpi if event.kind == SITE else names
                all = len(known) + len(strings)
                check(event.about < all, "a name")
                event.about = (known[event.about] if event.about < len(known)
                               else text(event.about - len(known)))
        # What is activated at an event if nothing else is said.
        bodies, loops = {}, {}
        for i, region in enumerate(regions):
            loops[region.function, region.index] = i
            if i == 0 or regions[i - 1].function != region.function:
                bodies.setdefault(names[region.function], i if region.index == 0 else None)
        for region, _, event in events:
            if event.kind == CALL:
                event.region = bodies.get(event.about)
            elif event.kind == LOOP:
                event.region = loops.get((region.function, event.about))

    def readCalls(self, r, times):
        self.groups = []
        timed = len(times.data) > 0
        for _ in range(r.count()):
            group = Group()
            group.thread = r.varint((1 << 20) + 1)
            check(not self.groups or group.thread > self.groups[-1].thread, "threads")
            root = Node(None)
            root.ranks = set(readRankSet(r, self.world))
            check(root.ranks and root.ranks <= set(self.ranks), "ranks of a thread")
            group.nodes.append(root)
            group.ranks = root.ranks
            # What is next in each of the tables.
            self.next = {SIGNATURES: 0, PATHS: 0}
            # Nodes that were met and not read, the next one last.
            waiting = [root]
            while waiting:
                node, before = waiting.pop(), len(group.nodes)
                self.readNode(r, times if timed else None, group, node)
                waiting += reversed(group.nodes[before:])
            self.groups.append(group)

    def readNode(self, r, times, group, node):
        if node.region is None:
            self.readEvent(r, times, group, node, 0)
            return
        head = r.varint(8)
        node.visits = [(node.ranks, Always(1))]
        if not head & 1:
            node.visits = self.readVariants(r, node, lambda: self.readVisits(r))
        path = lambda: self.readPath(r, node)
        if head & 2:
            node.paths = [(node.ranks, (Always(0), [path()]))]
        else:
            node.paths = self.readVariants(r, node, lambda: self.readItems(r, path))
        if head & 4:
            self.readEvent(r, times, group, node, 0)
        for number in node.region.events:
            self.readEvent(r, times, group, node, number)

    def readEvent(self, r, times, group, node, number):
        head = r.varint()
        if head == 0:
            return
        at = node.at[number] = Event()
        made = []
        item = lambda ranks, code: self.readItem(r, times, group, node, number, made, ranks, code)
        if head >= 5:
            at.items = [(node.ranks, (Always(0), [item(node.ranks, head - 5)]))]
            return
        if (head - 1) & 1:
            at.passes, at.counts = self.readStreams(r, node), self.readStreams(r, node)
        at.items = self.readVariants(
            r, node, lambda ranks: self.readItems(r, lambda: item(ranks, r.varint())), True)
        for _ in range(r.count() if (head - 1) & 2 else 0):
            key = (r.varint(), r.varint(len(self.tables[SITES]) + 1) - 1,
                   r.varint(256), r.varint(256))
            at.streams[key] = self.readStreams(r, node)

    def readVariants(self, r, node, one, takesRanks=False):
        head, variants = r.varint(), []
        check(head & 1 or head >> 1 <= 1, "ranks not named")
        for _ in range(head >> 1):
            ranks = set(readRankSet(r, self.world)) if head & 1 else node.ranks
            variants.append((ranks, one(ranks) if takesRanks else one()))
        return variants

    def readStreams(self, r, node):
        return self.readVariants(r, node, lambda: IntStream(r))

    def readVisits(self, r):
        always = r.varint()
        return Always(always) if always else IntStream(r)

    def readItems(self, r, one):
        rules = r.count()
        order = Grammar(r, rules) if rules else Always(0)
        return order, [one() for _ in range(order.terminals())]

    def step(self, table, code):
        """The entry that a code stands for."""
        at = self.next[table] + (code >> 1 if code & 1 == 0 else -(code >> 1) - 1)
        check(0 <= at < len(self.tables[table]), "an item")
        self.next[table] = at + 1
        return at

    def readPath(self, r, node):
        """The events on a path, by variant."""
        code = r.varint()
        if code == 0:
            return [Variant(None, list(node.region.events), [])]
        path = self.tables[PATHS][self.step(PATHS, code - 1)]
        check(all(e in node.region.events for v in path for e in v.tokens), "path")
        return path

    def readItem(self, r, times, group, node, number, made, ranks, code):
        """(is a node, node or signature, times by variant)"""
        if not code & 1:
            at = self.step(SIGNATURES, code >> 1)
            entry = self.tables[SIGNATURES][at]
            return False, at, times and [(times.varint(), times.varint()) for _ in entry]
        which = code >> 1
        if which >= 2:
            check(which - 2 < len(made), "no such node")
            inside = made[which - 2]
        else:
            region = r.varint(len(self.regions)) if which else (
                node.region.events[number].region if number else None)
            check(region is not None, "no region")
            inside = Node(self.regions[region])
            made.append(inside)
            group.nodes.append(inside)
        inside.ranks |= ranks
        return True, inside, None

    # What a rank sees --------------------------------------------------------

    def variant(self, table, index, rank):
        for variant in self.tables[table][index]:
            if variant.ranks is None or rank in variant.ranks:
                return variant
        raise Damaged("an entry lacks a rank")

    def text(self, index, rank):
        return escaped(self.variant(STRINGS, index, rank).tokens)

    def object(self, index, rank):
        """Kind, name, and words."""
        variant = self.variant(OBJECTS_TABLE, index, rank)
        kind, name = variant.tokens
        words = [w.value(rank, rank, self.world) for w in variant.words]
        return kind, self.text(name, rank) if name >= 0 else "", words

    def site(self, index, rank):
        if index < 0:
            return "?"
        variant = self.variant(SITES, index, rank)
        offset = variant.words[0].value(rank, rank, self.world)
        return f"{self.text(variant.tokens, rank)}+{offset}"

    def context(self, slots, rank):
        """Own rank and size for a signature's words."""
        for tag, about, *_ in slots:
            if tag == OBJECT:
                kind, _, words = self.object(about, rank)
                if kind != DATATYPE:
                    return words[1], words[2]
        return rank, self.world


class Group:
    def __init__(self):
        self.nodes = []


class Region:
    def __init__(self, function):
        self.function, self.events = function, {}


class RegionEvent:
    def __init__(self, kind):
        self.kind, self.region = kind, None


class Node:
    def __init__(self, region):
        self.region, self.ranks, self.at = region, set(), {}


class Event:
    def __init__(self):
        self.passes, self.counts, self.streams = [], [], {}


# Calls as text ---------------------------------------------------------------


def escaped(data):
    return "".join(chr(b) if 32 < b < 127 and chr(b) not in "'\\" else f"\\x{b:02x}"
                   for b in data)


def objectText(kind, name, words):
    label = {COMM: "comm", DATATYPE: "datatype", WIN: "win", FILE: "file"}[kind]
    return f"{label}('{name}',{','.join(map(str, words))})"


def valueText(tag, words, about):
    numbers = ",".join(map(str, words))
    if tag == DATA:
        return f"{about}:data({numbers})"
    labels = {HEAP: "heap", STACK: "stack", MAP: "map", RAW: "raw", STATUS: "status",
              STATUSES: "statuses"}
    if tag in labels:
        return f"{labels[tag]}({numbers})"
    return {ABSENT: "-", NULL: "null", NAME: f"@{about}", WORD: numbers,
            ARRAY: f"[{numbers}]", STRING: f"'{about}'", OBJECT: about,
            OBJECTS: f"{{{about}}}"}[tag]


def ofRank(variants, rank):
    return next((content for ranks, content in variants if rank in ranks), None)


class EventCursor:
    """What one rank does at an event, from pass to pass."""

    def __init__(self, event, rank, first):
        items = ofRank(event.items, rank)
        self.order, self.items = iter(items[0]), items[1]
        self.passes = iter(ofRank(event.passes, rank) or ())
        self.counts = iter(ofRank(event.counts, rank) or ())
        self.streams = {key: iter(stream) for key, variants in event.streams.items()
                        if (stream := ofRank(variants, rank)) is not None}
        self.usual, self.until = 0 if first else 1, next(self.passes, None)

    def count(self):
        if self.until == 0:
            self.usual, self.until = next(self.counts), next(self.passes, None)
            check(self.until != 0, "changes twice")
        if self.until is not None:
            self.until -= 1
        return self.usual


class NodeCursor:
    def __init__(self, node, rank):
        self.events = {e: EventCursor(event, rank, e == 0) for e, event in node.at.items()
                       if ofRank(event.items, rank)}
        if node.region:
            order, self.paths = ofRank(node.paths, rank) or ((), ())
            self.order = iter(order)
            self.visits = iter(ofRank(node.visits, rank) or ())


def itemsOf(trace, group, rank):
    """(event's cursor, item) for all calls in the order in which they ended."""
    cursors = {id(node): NodeCursor(node, rank) for node in group.nodes if rank in node.ranks}

    def walk(cursor, item):
        isNode, at, _ = item
        if not isNode:
            yield cursor, item
            return
        node = cursors[id(at)]
        number = next(node.visits, 0)
        check(number > 0, "visits")
        for _ in range(number):
            which = next(node.order, None)
            check(which is not None, "no path of a visit")
            path = next(v for v in node.paths[which] if v.ranks is None or rank in v.ranks)
            for event in [0] + path.tokens:
                inside = node.events.get(event)
                for _ in range(inside.count() if inside else 0):
                    which = next(inside.order, None)
                    check(which is not None, "no item")
                    yield from walk(inside, inside.items[which])

    root = cursors[id(group.nodes[0])].events.get(0)
    for which in root.order if root else ():
        yield from walk(root, root.items[which])


def callsOf(trace, group, rank):
    """(depth, text, duration, gap) in the order in which calls ended."""
    cache = {}
    for cursor, (_, signature, means) in itemsOf(trace, group, rank):
        streams, key = cursor.streams, (id(cursor), signature)
        if key not in cache:
            variant = trace.variant(SIGNATURES, signature, rank)
            own, size = trace.context(variant.tokens[3], rank)
            words = [w.value(rank, own, size) for w in variant.words]
            which = trace.tables[SIGNATURES][signature].index(variant)
            cache[key] = variant.tokens, words, means[which] if means else (None, None)
        (function, site, depth, slots), words, times = cache[key]
        parts, at = [], 0
        for i, (tag, about, more) in enumerate(slots):
            if tag == STREAM:
                take = lambda column: nextOf(streams, (function, site, i, column))
                tag, about = about, more
                if tag in (ARRAY, STATUSES):
                    length = take(0)
                    check(0 <= length < 1 << 23, "a streamed length")
                    values = [take(1 + c) for _ in range(length)
                              for c in range(WORDS[tag])]
                else:
                    values = [take(c) for c in range(WORDS[tag])]
            else:
                values = words[at : at + more]
                at += more
            if tag in (NAME, STRING, DATA):
                about = trace.text(about, rank)
            elif tag == OBJECT:
                about = objectText(*trace.object(about, rank))
            elif tag == OBJECTS:
                about = ";".join(objectText(*trace.object(o, rank)) for o in about)
            parts.append(valueText(tag, values, about))
        name = trace.functions[function].name.decode()
        text = f"{name} depth={depth} site={trace.site(site, rank)} " + " ".join(parts)
        yield (depth, text) + times


def nextOf(streams, key):
    value = next(streams[key], None) if key in streams else None
    check(value is not None, "a stream ends early")
    return value


def entered(calls):
    """In the order in which calls were entered."""
    families = []  # each a call and what is inside it
    for call in calls:
        inside = []
        while families and families[-1][0][0] > call[0]:
            inside = families.pop() + inside
        families.append([call] + inside)
        if call[0] == 0:
            for family in families:
                yield from family
            families = []
    for family in families:
        yield from family


def listing(trace):
    lines = []
    for rank in trace.ranks:
        own = [g for g in trace.groups if rank in g.ranks]
        for group in sorted(own, key=lambda g: g.thread):
            lines.append(f"rank {rank} thread {group.thread}")
            clock = 0
            for _, text, duration, gap in entered(callsOf(trace, group, rank)):
                if duration is not None:
                    clock += gap
                    text += f" @{clock}+{duration}"
                    clock += duration
                lines.append(text)
    return "".join(line + "\n" for line in lines)


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        try:
            print(listing(Trace(file.read())), end="")
        except (Damaged, ValueError) as error:
            sys.exit(f"{sys.argv[1]}: {error}")
