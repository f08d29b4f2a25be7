"""The tables of a trace file, and the regions, read by docs/format.md alone; and what a rank sees in them."""

from slotrelations import KNOWN, LEVEL, NUMBERED
from values import MAX_WORLD, RankFunction, SumsElement, TransposedElement, check, readRankSet

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
OF_TRACER = 1  # level of functions that are none
BUFFER = 25  # kind


class Variant:
    def __init__(self, ranks, tokens, words):
        self.ranks, self.tokens, self.words = ranks, tokens, words


class Function:
    """slots: (name, kind, bits, key of names); said: for each, {relation: number}."""

    def __init__(self, name, isCollective, slots, said):
        self.name, self.isCollective, self.slots, self.said = name, isCollective, slots, said
        self.level = said[0].pop(LEVEL, OF_TRACER if name.startswith(b"(") else 0)
        # A call of it tells how many calls there were that are not in the trace.
        self.isUntraced = self.level == OF_TRACER and len(slots) > 1 and slots[1][1] == 0
        self.isFreed = self.level == OF_TRACER and len(slots) > 1 and slots[1][1] == BUFFER


class Tables:
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
            check(ident not in self.functions, "a function occurs twice")  # they stay in their order
            name = words[r.varint(len(words))]
            head = r.varint()
            number = head >> 1
            check(1 <= number <= 255, "number of slots")
            slots, said = [], []
            for _ in range(number):
                slot, kind, bits = words[r.varint(len(words))], r.byte(), r.byte()
                check(bits < 128, "a slot's bits")
                key = words[r.varint(len(words))] if bits & 32 else None
                slots.append((slot, kind, bits, key))
                said.append(dict(self.readRelations(r, number)) if bits & 64 else {})
            self.functions[ident] = Function(name, bool(head & 1), slots, said)
        for _ in range(r.count()):
            key, value = words[r.varint(len(words))], r.svarint()
            self.names[key, value] = words[r.varint(len(words))]

    def readRelations(self, r, slots):
        more = 1
        while more:
            head = r.varint(1024)
            relation, more = head >> 2, head & 1
            number = r.varint(256) if head & 2 else 0
            if relation in KNOWN:
                check(bool(head & 2) == (relation in NUMBERED), "a relation's number")
                check(relation == LEVEL or number < slots, "a relation to a slot")
                yield relation, number

    def readTable(self, r, which):
        if which == SIGNATURES:
            return self.readSignatures(r)
        for _ in range(r.count()):
            if which == SITES:
                self.tables[SITES].append([self.readSite(r)])
                continue
            entry = []
            for named in self.readVariantHeads(r):
                ranks = readRankSet(r, self.world) if named else None
                check(ranks != [], "a variant of no rank")
                tokens, number = self.readTokens(r, which)
                entry.append(Variant(ranks, tokens, [self.readWord(r, ranks) for _ in range(number)]))
            self.tables[which].append(entry)

    def readSite(self, r):
        head = r.varint()
        check(head in (2, 4), "a site")
        module, caller = r.varint(len(self.tables[STRINGS])), -1
        if head == 4:
            caller = r.varint(len(self.tables[SITES]))
        site = Variant(None, (module, caller), [self.readWord(r, None)])
        site.callers = self.tables[SITES][caller][0].callers + 1 if caller >= 0 else 0
        check(site.callers <= 255, "too many callers")
        return site

    def readVariantHeads(self, r):
        """For each variant of an entry, whether its ranks are named."""
        head = r.varint()
        check(head >> 1 >= 1 and (head & 1 or head >> 1 == 1), "variants")
        return [bool(head & 1)] * (head >> 1)

    def readWord(self, r, ranks, earlier=None):
        word = RankFunction(r, ranks, self.world, earlier)
        check(ranks is not None or word.single(), "ranks not named")
        return word

    def readSignatures(self, r):
        forms = [self.readForm(r) for _ in range(r.count())]
        rows = []
        for _ in range(r.count()):
            entry = [Variant(readRankSet(r, self.world) if named else None, None, [])
                     for named in self.readVariantHeads(r)]
            check(all(v.ranks != [] for v in entry), "a variant of no rank")
            self.tables[SIGNATURES].append(entry)
            rows += entry
        for row in rows:
            row.form = forms[r.varint(len(forms))]
        site = 0
        columns = {}
        for row in rows:
            site += r.svarint()
            check(0 <= site <= len(self.tables[SITES]), "no such site")
            function, depth, slots, _, number = row.form
            row.tokens = (function, site - 1, depth, slots)
            columns.setdefault((function, number), []).append(row)
        earlier = []
        for (_, number), alike in columns.items():
            for _ in range(number):
                for row in alike:
                    row.words.append(self.readWord(r, row.ranks, earlier))
        for row in rows:
            row.words = self.allWords(row)

    def readTokens(self, r, which):
        """What the table says, and how many words follow."""
        ref = lambda table: r.varint(len(self.tables[table]))
        option = lambda table: r.varint(len(self.tables[table]) + 1) - 1
        if which == STRINGS:
            return r.string(), 0
        if which == OBJECTS_TABLE:
            kind = r.varint()
            check(kind in OBJECT_WORDS or 29 <= kind < 256, "no kind of object")
            return (kind, option(STRINGS)), OBJECT_WORDS.get(kind, 3)
        if which == PATHS:
            events = [0]
            for _ in range(r.count()):
                events.append(events[-1] + 1 + r.svarint())
            return events[1:], 0
        raise AssertionError(which)

    def readForm(self, r):
        """(function, depth, slots, arrays that follow from others, number of words in the file)"""
        ref = lambda table: r.varint(len(self.tables[table]))
        function = r.varint()
        check(function in self.functions, "no such function")
        depth = r.varint(256)
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
                check(inner in WORDS or inner in (STRING, OBJECT, OBJECTS), "cannot be streamed")
                types = [ref(OBJECTS_TABLE) for _ in range(r.count() if inner == OBJECTS else inner == OBJECT)]
                check(all(self.tables[OBJECTS_TABLE][t][0].tokens[0] == DATATYPE for t in types), "sizes of no datatype")
                about = {DATA: lambda: ref(STRINGS), OBJECT: lambda: types[0], OBJECTS: lambda: types}.get(inner, lambda: None)()
                slots.append((tag, inner, about))
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
        words = sum(number for place, (tag, _, number) in enumerate(slots)
                    if tag != STREAM and place not in derived)
        return function, depth, slots, derived, words

    def allWords(self, row):
        """Of each slot in its order; arrays that follow from earlier ones have none in the file."""
        _, _, slots, derived, _ = row.form
        groups, stored = [], iter(row.words)
        for place, (tag, _, number) in enumerate(slots):
            if place not in derived:
                count = 0 if tag == STREAM else number
                groups.append([next(stored) for _ in range(count)])
                continue
            array, base_and_scale = derived[place]
            array = groups[array]
            check(all(f.constant() for f in array), "an array that depends on own ranks")
            if base_and_scale:
                groups.append([SumsElement(array[:i], *base_and_scale) for i in range(number)])
            else:
                check(row.ranks is not None and len(row.ranks) == number, "not as many ranks as elements")
                groups.append([TransposedElement(array, i, row.ranks) for i in range(number)])
        return [f for group in groups for f in group]

    def readRegions(self, r):
        strings = self.tables[STRINGS]
        text = lambda index: strings[index][0].tokens
        ref = lambda: r.varint(len(strings))
        head = r.varint()
        check(head >> 1 <= len(r.data), "functions")
        hasIds = head & 1
        names, at = [], 0
        for _ in range(head >> 1):
            at += r.svarint()
            check(0 <= at < len(strings), "a name")
            names.append(text(at))
            at += 1
        files = []
        for _ in names:
            file = r.varint(len(strings) + 1)
            check(file or files, "no file before this one")
            files.append(text(file - 1) if file else files[-1])
        ids = [r.u64() if hasIds else i for i in range(len(names))]
        check(len(set(ids)) == len(ids), "a function occurs twice")
        regions = self.regions = []
        for function, number in enumerate([r.count() + 1 for _ in names]):
            regions += [Region(function) for _ in range(number)]
        numbers = [r.count() for _ in regions]
        for region, number in zip(regions, numbers):
            at = 0
            for _ in range(number):
                head = r.varint()
                at += 1 + (head >> 2)
                region.events[at] = RegionEvent(head & 3)
        events = [(region, number, event) for region in regions
                  for number, event in region.events.items()]
        mpi = []
        for function in self.functions.values():
            mpi += [function.name, function.name.lower() + b"_"]
        named = lambda known, at: known[at] if at < len(known) else text(at - len(known))
        site, call, loop, function = 0, 1, 1, None
        for region, _, event in events:
            if region.function != function:
                function, loop = region.function, 1
            if event.kind == SITE:
                at = site + r.svarint()
                check(0 <= at < len(mpi) + len(strings), "a name")
                event.about = named(mpi, at)
                if at < len(mpi):
                    site = max(site >> 1, (at >> 1) + 1) << 1 | at & 1
            elif event.kind == CALL:
                at = call + r.svarint()
                check(0 <= at < len(names) + len(strings), "a name")
                event.about = named(names, at)
                if at < len(names):
                    call = max(call, at + 1)
            elif event.kind == LOOP:
                event.about = loop + r.svarint()
                check(0 <= event.about < 1 << 32, "a loop")
                loop = event.about + 1
            else:
                event.about = r.varint()
                if event.about >= 1 << 32:
                    name = text(event.about - (1 << 32))
                    check(name, "a critical section's name")
                    event.about = 7
        before = None
        for region, number, event in events:
            if region is not before:
                before, arm = region, 0
            back = r.varint(number + 1)
            if back:
                arm = number + 1 - back if back > 1 else 0
            check(not arm or (arm in region.events and region.events[arm].kind == ARM), "arm")
            event.arm = arm
            if event.kind == ARM:
                arm = number
        before = None
        for region in regions:
            region.index = r.varint()
            if before and before.function == region.function:
                region.index += before.index + 1
            before = region
        line = 0
        for region in regions:
            for place in [region, *region.events.values()]:
                line += r.svarint()
                check(0 <= line < 1 << 32, "a line")
                place.line = line
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

    # What a rank sees --------------------------------------------------------

    def find(self, table, index, rank):
        for variant in self.tables[table][index]:
            if variant.ranks is None or rank in variant.ranks:
                return variant
        return None

    def variant(self, table, index, rank):
        found = self.find(table, index, rank)
        check(found, "an entry lacks a rank")
        return found

    def text(self, index, rank):
        return escaped(self.variant(STRINGS, index, rank).tokens)

    def object(self, index, rank):
        """Kind, name, and words."""
        variant = self.variant(OBJECTS_TABLE, index, rank)
        kind, name = variant.tokens
        words = [w.value(rank, rank, self.world) for w in variant.words]
        return kind, self.text(name, rank) if name >= 0 else "", words

    def site(self, index, rank):
        """The place, and behind it those of the callers."""
        places = []
        while index >= 0:
            variant = self.variant(SITES, index, rank)
            module, index = variant.tokens
            offset = variant.words[0].value(rank, rank, self.world)
            places.append(f"{self.text(module, rank)}+{offset}")
        return "<".join(places) or "?"

    def context(self, slots, rank):
        """Own rank and size for a signature's words."""
        for tag, about, *_ in slots:
            if tag == OBJECT:
                kind, _, words = self.object(about, rank)
                if kind in (COMM, WIN, FILE):
                    return words[1], words[2]
        return rank, self.world


class Region:
    def __init__(self, function):
        self.function, self.events = function, {}


class RegionEvent:
    def __init__(self, kind):
        self.kind, self.region = kind, None


# Names of things as text --------------------------------------------------------


def escaped(data):
    return "".join(chr(b) if 32 < b < 127 and chr(b) not in "'\\" else f"\\x{b:02x}"
                   for b in data)


def objectText(kind, name, words):
    label = {COMM: "comm", DATATYPE: "datatype", WIN: "win", FILE: "file"}.get(kind, f"kind{kind}")
    return f"{label}('{name}',{','.join(map(str, words))})"
