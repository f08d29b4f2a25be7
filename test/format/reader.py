#!/usr/bin/env python3
"""A second reader of trace files, written from docs/format.md alone.

    reader.py TRACE

prints every call in the form that test/unit/CallText.h describes. Standard
library only; packed sections need libzstd, which is loaded if it is there.
"""

import math
import sys

import requestarrays
from measures import readMeasures, timesText
from tables import (ABSENT, ARRAY, DATA, HEAP, MAP, NAME, NULL, OBJECT, OBJECTS, RAW, SIGNATURES, STACK, STATUS,
                    STATUSES, STREAM, STRING, WORD, WORDS, escaped, objectText)
from timeblocks import readTimes
from tracefile import Trace
from values import Always, Damaged, check

# Calls as text ---------------------------------------------------------------


def valueText(tag, words, about):
    numbers = ",".join(map(str, words))
    if tag == OBJECT:
        return objectText(*about)
    if tag == OBJECTS:
        return f"{{{';'.join(objectText(*o) for o in about)}}}"
    if tag == DATA:
        return f"{about}:data({numbers})"
    labels = {HEAP: "heap", STACK: "stack", MAP: "map", RAW: "raw", STATUS: "status",
              STATUSES: "statuses"}
    if tag in labels:
        return f"{labels[tag]}({numbers})"
    return {ABSENT: "-", NULL: "null", NAME: f"@{about}", WORD: numbers,
            ARRAY: f"[{numbers}]", STRING: f"'{about}'"}[tag]


def ofRank(variants, rank):
    return next((content for ranks, content in variants if rank in ranks), None)


class EventCursor:
    """What one rank does at an event, from pass to pass."""

    def __init__(self, trace, event, rank, first):
        self.event = event
        order, self.items = ofRank(event.items, rank)
        # Calls that the table does not have for this rank are others'.
        mine = [isNode or trace.find(SIGNATURES, at, rank) for isNode, at, _ in self.items]
        self.order = (i for i in order.of(rank) if mine[i])
        self.passes = iter(ofRank(event.passes, rank) or ())
        self.counts = iter(ofRank(event.counts, rank) or ())
        self.streams = {key: stream.of(rank) for key, variants in event.streams.items()
                        if (stream := ofRank(variants, rank)) is not None}
        self.usual, self.until = 0 if first else 1, next(self.passes, None)

    def count(self):
        if self.until == 0:
            self.usual, self.until = next(self.counts), next(self.passes, None)
            check(self.until != 0, "changes twice")
        if self.until is not None:
            self.until -= 1
        return self.usual


def partOf(trace, node, rank):
    """A rank's numbers of visits, where those of all ranks are said together."""
    [event] = node.at.values()
    [(_, (order, items))] = event.items
    mine = [trace.find(SIGNATURES, at, rank) is not None for _, at, _ in items]
    order = iter(order.of(rank))
    for length in node.joint:
        check(length > 0, "a length of visits")
        number = sum(mine[next(order)] for _ in range(length))
        if number:
            yield number


class NodeCursor:
    def __init__(self, trace, node, rank):
        self.events = {e: EventCursor(trace, event, rank, e == 0) for e, event in node.at.items()
                       if ofRank(event.items, rank)}
        if node.region:
            order, self.paths = ofRank(node.paths, rank) or (Always(0), ())
            self.order = iter(order.of(rank))
            if node.joint is not None:
                visits = partOf(trace, node, rank)
            else:
                visits = ofRank(node.visits, rank)
                visits = visits.of(rank) if visits else ()
            self.visits = iter(visits)


def itemsOf(trace, group, rank):
    """(event's cursor, item) for all calls in the order in which they ended."""
    cursors = {id(node): NodeCursor(trace, node, rank) for node in group.nodes if rank in node.ranks}

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


def whichOf(trace, signature, rank):
    return trace.tables[SIGNATURES][signature].index(trace.variant(SIGNATURES, signature, rank))


def meansOf(measure):
    """Of duration and gap, in seconds."""
    return tuple(float(total) / float(measure.calls) / 1e9 for total in (measure.duration.sum, measure.gap()))


def recordsOf(trace, group, rank):
    """(function, site, depth, values, duration, gap) in the order in which calls ended. A value is (tag, numbers, what
    it is about); calls that are equal because no value of theirs is streamed have one tuple of them."""
    cache, arrays, history = {}, {}, requestarrays.History()
    for cursor, (_, signature, measures) in itemsOf(trace, group, rank):
        streams, key = cursor.streams, (id(cursor), signature)
        if key not in cache:
            variant = trace.variant(SIGNATURES, signature, rank)
            own, size = trace.context(variant.tokens[3], rank)
            words = [w.value(rank, own, size) for w in variant.words]
            slots = variant.tokens[3]
            constant = (None if any(tag == STREAM for tag, *_ in slots)
                        else valuesOf(trace, rank, variant.tokens, words, streams))
            times = meansOf(measures[whichOf(trace, signature, rank)]) if measures else (None, None)
            cache[key] = variant.tokens, words, constant, times
        tokens, words, constant, times = cache[key]
        function, site, depth, _ = tokens
        values = constant or valuesOf(trace, rank, tokens, words, streams)
        if function not in arrays:
            arrays[function] = requestarrays.slotsOf(trace.functions[function])
        if arrays[function]:
            values = requestarrays.resolved(values, arrays[function], history, (WORD, ARRAY, ABSENT))
        yield (function, site, depth, values, *times)


def valuesOf(trace, rank, tokens, words, streams):
    function, site, _, slots = tokens
    values, at = [], 0
    for i, (tag, about, more) in enumerate(slots):
        if tag == STREAM:
            take = lambda column: nextOf(streams, (function, site, i, column))
            tag, about = about, more
            if tag in (ARRAY, OBJECTS, STATUSES, STRING):
                length = take(0)
                check(0 <= length < 1 << 23 and (tag != OBJECTS or length == len(about)), "a streamed length")
                numbers = [take(1 + c) for _ in range(length) for c in range(WORDS.get(tag, 1))]
            else:
                numbers = [take(c) for c in range(WORDS.get(tag, 1))] # of a datatype the size
        else:
            numbers = words[at : at + more]
            at += more
        if tag == STRING and about is None:
            check(all(0 <= n < 256 for n in numbers), "a byte of text")
            about = escaped(bytes(numbers))
        elif tag in (NAME, STRING, DATA):
            about = trace.text(about, rank)
        elif tag == OBJECT:
            about = trace.object(about, rank)
            if numbers: # the size of a datatype
                about = *about[:2], [about[2][0], *numbers]
        elif tag == OBJECTS:
            about = [trace.object(o, rank) for o in about]
            if numbers:
                about = [(*o[:2], [o[2][0], n]) for o, n in zip(about, numbers, strict=True)]
        values.append((tag, numbers, about))
    return tuple(values)


def callsOf(trace, group, rank):
    """(depth, text, duration, gap) in the order in which calls ended."""
    for function, site, depth, values, *times in recordsOf(trace, group, rank):
        if trace.functions[function].isUntraced:
            number = valueText(*values[1]) if len(values) > 1 else "0"
            yield (depth, f"{number} calls not traced depth={depth}", *times)
            continue
        name = trace.functions[function].name.decode()
        parts = " ".join(valueText(*value) for value in values)
        yield (depth, f"{name} depth={depth} site={trace.site(site, rank)} {parts}", *times)


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


def turnsOf(trace, rank, left):
    """[thread, number of its calls that follow each other] for all calls of a rank; left: calls by thread. And which of
    all its calls, counted in that order, begin a turn alone."""
    threads, lengths = (list(ofRank(variants, rank) or ()) for variants in trace.turns)
    check(len(threads) == len(lengths), "turns without threads, or lengths")
    turns, alone, at = [], [], 0
    for thread, length in list(zip(threads, lengths)) + [(t, None) for t in sorted(left)]:
        if length is None:  # in no turn
            length = left[thread]
        else:
            alone += [at] if length & 1 else []
            length >>= 1
            check(thread in left and 0 < length <= left[thread], "a turn")
        if turns and turns[-1][0] == thread:
            turns[-1][1] += length
        elif length:
            turns.append([thread, length])
        left[thread] -= length
        at += length
    return turns, alone


def ownTimesOf(trace, group, rank, times):
    """A line for each call, in the order in which calls were entered."""
    def items():
        for cursor, (_, signature, measures) in itemsOf(trace, group, rank):
            measure = measures[whichOf(trace, signature, rank)]
            yield cursor.event, measure.place

    isFreed = lambda place: trace.functions[place[0]].isFreed
    own = times.calls((id(event.node), event.number, place) for event, place in items() if not isFreed(place))
    ended = []
    for _, place in items():
        ended.append((place[2], None if isFreed(place) else next(own)))
    check(next(own, None) is None, "times of further calls")
    seconds = lambda ticks: float(ticks) * times.length / 1e9
    clock = 0.0
    for _, time in entered(ended):
        start, duration = (times.begin + seconds(time[0] - times.base), seconds(time[1])) if time else (clock, 0.0)
        clock = start + duration
        yield f"rank {rank} thread {group.thread} at {nano(start)}+{nano(duration)}"


def listing(trace):
    lines, isTimed = [], readMeasures(trace, itemsOf)
    for rank in trace.ranks:
        own = [g for g in trace.groups if rank in g.ranks]
        number = {}
        for group in sorted(own, key=lambda g: g.thread):
            lines.append(f"rank {rank} thread {group.thread}")
            clock, number[group.thread] = 0.0, -len(lines)
            for _, text, duration, gap in entered(callsOf(trace, group, rank)):
                if duration is not None:
                    clock += gap
                    text += f" @{nano(clock)}+{nano(duration)}"
                    clock += duration
                lines.append(text)
            number[group.thread] += len(lines)
        if len(own) > 1:
            turns, alone = turnsOf(trace, rank, number)
            turns = " ".join(f"{thread}*{length}" for thread, length in turns)
            lines.append(f"rank {rank} turns {turns} alone {alone}")
    if isTimed:
        head = lambda function, depth, site: (
            f"{trace.functions[function].name.decode()} depth={depth} site={trace.site(site, trace.ranks[0])}")
        lines += timesText(trace, head)
    times = readTimes(trace)
    for rank in trace.ranks:
        for group in sorted(trace.groups, key=lambda g: g.thread):
            if (group.thread, rank) in times:
                lines += ownTimesOf(trace, group, rank, times[group.thread, rank])
    return "".join(line + "\n" for line in lines)


def nano(seconds):
    return math.floor(seconds * 1e9 + 0.5)


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        try:
            print(listing(Trace(file.read())), end="")
        except (Damaged, ValueError) as error:
            sys.exit(f"{sys.argv[1]}: {error}")
