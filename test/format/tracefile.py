"""A trace file in memory, read by docs/format.md alone: the sections, and what stands at each event."""

from container import readSections
from tables import ARM, CALL, LOOP, PATHS, SIGNATURES, SITES, Tables, Variant
from values import Always, Bytes, Grammar, IntStream, RankFunction, RankedStream, Repeated, check, readRankSet


class Trace(Tables):
    def __init__(self, data):
        sections = [Bytes(section) for section in readSections(data)]
        meta, schema, tables, calls, self.measured, self.times, chunks = sections
        calls.chunks = self.chunkBytes = chunks.take(len(chunks.data))
        self.readMeta(meta)
        self.readSchema(schema)
        self.tables = []
        for which in range(5):
            self.tables.append([])
            self.readTable(tables, which)
        self.readRegions(tables)
        self.readCalls(calls)
        for section in sections:
            if section not in (self.measured, self.times):  # which are read later, or not
                section.end()

    def isUntraced(self, function):
        return function in self.functions and self.functions[function].isUntraced

    def readCalls(self, r):
        self.groups = []
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
                self.readNode(r, group, node)
                waiting += reversed(group.nodes[before:])
            self.groups.append(group)
        self.turns = [], []
        if len(self.groups) > 1:
            every = Node(None)
            every.ranks = set(self.ranks)
            self.turns = self.readStreams(r, every), self.readStreams(r, every)

    def readNode(self, r, group, node):
        if node.region is None:
            self.readEvent(r, group, node, 0)
            return
        head = r.varint(64)
        visits, paths = head & 3, head >> 2 & 3
        check(paths < 3, "paths")
        hasArms = head & 32
        passes = lambda number: node.region.events[number].kind != ARM or hasArms
        node.visits = [(node.ranks, Always(1))]
        if visits >= 2:
            check(paths == 0 and not head & 16, "joint visits")
            node.joint = IntStream(r) if visits == 2 else Always(r.varint(1 << 63))
        elif visits == 1:
            node.visits = self.readVariants(r, node, lambda ranks: self.readVisits(r, ranks), True)
        path = lambda ranks: self.readPath(r, node, ranks)
        if paths == 2:
            node.paths = self.readVariants(
                r, node, lambda ranks: self.readItems(r, ranks, lambda: path(ranks)), True)
        else:
            whole = [Variant(None, list(node.region.events), [])]
            node.paths = [(node.ranks, (Always(0), [path(node.ranks) if paths else whole]))]
        if head & 16:
            self.readEvent(r, group, node, 0)
        for number in node.region.events:
            if passes(number):
                self.readEvent(r, group, node, number)

    def readEvent(self, r, group, node, number):
        head = r.varint()
        if head == 1:
            return
        at = node.at[number] = Event()
        at.node, at.number = node, number
        group.events.append(at)
        made = []
        item = lambda ranks, code: self.readItem(r, group, node, number, made, ranks, code)
        if head == 0 or head >= 9:
            at.items = [(node.ranks, (Always(0), [item(node.ranks, head - 8 if head else 0)]))]
            return
        bits = head - 2
        if bits & 4:
            check(not bits & 1, "a number that is the same and changes")
            of = r.varint(1 << 63)
            check(of > 0, "no items")
            at.passes, at.counts = [(node.ranks, [0])], [(node.ranks, [of])]
        if bits & 1:
            at.passes, at.counts = self.readStreams(r, node), self.readStreams(r, node)
        at.items = self.readVariants(
            r, node, lambda ranks: self.readItems(r, ranks, lambda: item(ranks, r.varint())), True)
        for _ in range(r.count() if bits & 2 else 0):
            key = (r.varint(), r.varint(len(self.tables[SITES]) + 1) - 1,
                   r.varint(256), r.varint(256))
            at.streams[key] = self.readVariants(
                r, node, lambda ranks: RankedStream(r, sorted(ranks), self.world), True)
            check(not self.isUntraced(key[0]) or not any(s.areSteps or s.functions for _, s in at.streams[key]), "features")

    def readVariants(self, r, node, one, takesRanks=False):
        head, variants = r.varint(), []
        check(head & 1 or head >> 1 <= 1, "ranks not named")
        for _ in range(head >> 1):
            ranks = set(readRankSet(r, self.world)) if head & 1 else node.ranks
            variants.append((ranks, one(ranks) if takesRanks else one()))
        return variants

    def readStreams(self, r, node):
        return self.readVariants(r, node, lambda: RankedStream(r, [], self.world, 0).stream)

    def readVisits(self, r, ranks):
        always = r.varint()
        return Always(always) if always else RankedStream(r, sorted(ranks), self.world, 2)

    def readItems(self, r, ranks, one):
        head = r.varint(2 * len(r.data) + 2)
        order = Always(0)
        if head & 1:
            order = Repeated(Grammar(r, head >> 1))
        elif head:
            order = Grammar(r, head >> 1, True)
            order.readFunctions(r, sorted(ranks), self.world)
        return order, [one() for _ in range(order.terminals())]

    def step(self, table, code):
        """The entry that a code stands for."""
        at = self.next[table] + (code >> 1 if code & 1 == 0 else -(code >> 1) - 1)
        check(0 <= at < len(self.tables[table]), "an item")
        self.next[table] = at + 1
        return at

    def readPath(self, r, node, ranks):
        """The events on a path, by variant."""
        code = r.varint()
        if code & 1 == 0:
            return [Variant(None, self.path(node, code >> 1), [])]
        if code == 1:
            mask = RankFunction(r, sorted(ranks), self.world)
            return [Variant([rank], self.path(node, mask.value(rank, rank, self.world)), [])
                    for rank in sorted(ranks)]
        path = self.tables[PATHS][self.step(PATHS, (code - 3) >> 1)]
        check(all(e in node.region.events for v in path for e in v.tokens), "path")
        return path

    @staticmethod
    def path(node, mask):
        events = node.region.events
        check(0 <= mask < 1 << min(62, len(events)), "a path")
        arms = [e for e in events if events[e].kind == ARM]
        bits = {e: i for i, e in enumerate(arms + [e for e in events if events[e].kind != ARM])}
        on = {0}
        for e in events:
            if (events[e].arm in on) != bool(mask >> bits[e] & 1 if bits[e] < 62 else 0):
                on.add(e)
        return sorted(on - {0})

    def readItem(self, r, group, node, number, made, ranks, code):
        """[is a node, node or signature, measures by variant]"""
        usual = number and node.region.events[number].kind in (CALL, LOOP)
        if code & 1 == bool(usual):
            at = self.step(SIGNATURES, code >> 1)
            return [False, at, None]
        which = code >> 1
        if which >= 2:
            check(which - 2 < len(made), "no such node")
            inside = made[which - 2]
        else:
            region = r.varint(len(self.regions)) if which else (
                node.region.events[number].region if number else None)
            check(region is not None, "no region")
            inside = Node(self.regions[region])
            inside.parent = node
            made.append(inside)
            group.nodes.append(inside)
        inside.ranks |= ranks
        return [True, inside, None]


class Group:
    def __init__(self):
        self.nodes, self.events = [], []


class Node:
    def __init__(self, region):
        self.region, self.ranks, self.at, self.joint = region, set(), {}, None
        self.parent, self.times = None, []


class Event:
    def __init__(self):
        self.passes, self.counts, self.streams = [], [], {}
        self.node, self.measures, self.places = None, [], {}
