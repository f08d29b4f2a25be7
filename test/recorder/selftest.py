#!/usr/bin/env python3
"""A comparison that cannot fail is worthless: compare.py must notice what is wrong.

    selftest.py PREFIX

PREFIX.<rank> is what the recorder wrote of a run of programs/every. From it
this makes what `pilgrim print --json` could have said of that run, with names
and segments of its own that are used again after they were freed. Compared with
that, everything agrees; then one thing after the other is made wrong.
"""

import copy
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import compare

SEED = 7


class Mock:
    """One rank's calls as a tracer would tell them."""

    FREEING = {
        "MPI_Comm_free": "comm", "MPI_Type_free": "datatype", "MPI_Group_free": "group",
        "MPI_Op_free": "op", "MPI_Win_free": "win", "MPI_File_close": "fh",
        "MPI_Info_free": "info",
    }  # fmt: skip

    def __init__(self, calls):
        self.names = {}
        self.last = {}  # line of an object's last use
        for call in calls:
            for name in self.objectsOf(call["args"]):
                self.last[name] = call["returned"]
        self.free = {}
        self.count = {}
        self.calls = [self.translate(call) for call in calls]

    def objectsOf(self, value):
        if isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, list):
            for element in value:
                yield from self.objectsOf(element)
        elif isinstance(value, str) and compare.OBJECT.fullmatch(value):
            yield value

    def nameOf(self, recorded):
        kind = compare.OBJECT.fullmatch(recorded)[2]
        if recorded not in self.names:
            free = self.free.setdefault(kind, [])
            number = free.pop() if free else self.count.get(kind, 0)
            self.count[kind] = max(self.count.get(kind, 0), number + 1)
            self.names[recorded] = f"{kind}{number}"
        return self.names[recorded]

    def value(self, value):
        if isinstance(value, list):
            return [self.value(element) for element in value]
        if isinstance(value, dict):
            return {key: self.value(element) for key, element in value.items()}
        if not isinstance(value, str):
            return value
        if value == "?":
            return 0
        if value.startswith("fn:"):
            return "larger"
        if value.startswith("buf:"):
            return self.buffer(int(value[4:], 16))
        return self.nameOf(value) if compare.OBJECT.fullmatch(value) else value

    @staticmethod
    def buffer(address):
        if address >= 0x7FF000000000:
            return f"stack+{address - 0x7FF000000000}"
        if 0x550000000000 <= address < 0x570000000000:
            return f"data:EveryCall+{address - 0x550000000000}"
        return f"seg{address >> 24}+{address & 0xFFFFFF}"

    def translate(self, call):
        result = {
            key: copy.deepcopy(call[key])
            for key in ("rank", "thread", "seq", "depth", "func")
        }
        result["args"] = {n: self.value(v) for n, v in call["args"].items()}
        result["ret"] = None if call["func"] == "MPI_Finalize" else call["ret"]
        result["site"] = "EveryCall.c:1"
        if "matched" in call:
            result["matched"] = call["matched"]
        for name in set(self.objectsOf(call["args"])):
            if self.last[name] == call["returned"]:
                traced = self.names[name]
                self.free[compare.OBJECT.fullmatch(name)[2]].append(
                    int(re.sub(r"\D", "", traced))
                )
        return result


def wrong(value):
    """Another value of the same looks."""
    if value is None:
        return 0
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, list):
        return [wrong(value[0]), *value[1:]] if value else [0]
    if isinstance(value, dict):
        return value | {"bytes": value.get("bytes", 0) + 1}
    if match := re.fullmatch(r"(.*\+)(\d+)", value):
        return f"{match[1]}{int(match[2]) + 8}"
    if match := re.fullmatch(r"([a-z]+)(\d+)", value):
        return f"{match[1]}{int(match[2]) + 1000}"
    return {"MPI_INT": "MPI_FLOAT", "MPI_SUM": "MPI_MAX"}.get(value, value + "X")


class Test:
    def __init__(self, prefix):
        files = sorted(pathlib.Path(prefix).parent.glob(pathlib.Path(prefix).name + ".*"))
        self.prefix = prefix
        self.recorded = {}
        for path in files:
            lines = path.read_text().splitlines()
            calls = [json.loads(l) | {"returned": n} for n, l in enumerate(lines)]
            self.recorded[int(path.suffix[1:])] = calls
        self.random = random.Random(SEED)
        self.noticed = 0
        self.missed = []

    def traced(self, rank=0):
        return Mock(self.recorded[rank]).calls

    def differences(self, traced, rank=0, constant=True):
        comparison = compare.Rank(rank, constant)
        comparison.run(compare.byThread(self.recorded[rank]), compare.byThread(traced))
        return comparison.differences

    def expect(self, found, what):
        if found:
            self.noticed += 1
        else:
            self.missed.append(what)

    def everyParameter(self, rank):
        """One wrong value of each parameter of each function, all in one trace."""
        traced = self.traced(rank)
        places = {}
        for index, call in enumerate(traced):
            for name, value in call["args"].items():
                if self.recorded[rank][index]["args"][name] == "?":
                    continue
                look = type(value).__name__
                places.setdefault((call["func"], name, look), []).append(index)
        learned = places["MPI_Op_create", "user_fn", "str"][0] + 1
        teaching = self.teaching(traced)
        self.random.shuffle(order := list(places))
        changed, used = [], set()
        for key in order:
            function, name, look = key
            if compare.creates(function, name) and look == "str":
                continue  # noticed later: creations()
            free = [index for index in places[key] if index not in used]
            # What bases and names of functions are learned from must be right.
            free = [i for i in free if look != "str" or i >= learned and i not in teaching]
            if not free:
                continue  # taken by other parameters: it is the turn of another rank
            index = self.random.choice(free)
            used.add(index)
            value = traced[index]["args"][name]
            traced[index]["args"][name] = wrong(value)
            changed.append((traced[index], name, value))
        reported = self.differences(traced, rank, constant=False)
        texts = set()
        for text in reported:
            match = re.match(r"rank \d+ thread (\d+) call (\d+): (\w+) (\w+):", text)
            if match:
                texts.add(match.groups())
        position = {}
        for thread, calls in compare.byThread(traced).items():
            for index, call in enumerate(calls):
                position[id(call)] = (str(thread), str(index))
        for call, name, value in changed:
            # Heap segments may move: there a shift is seen only where they may not.
            if isinstance(value, str) and value.startswith("seg"):
                continue
            place = (*position[id(call)], call["func"], name)
            self.expect(place in texts, f"{place} was {value}")

    @staticmethod
    def teaching(traced):
        """Indices of the calls from which the base of a segment that does not
        move is learned: the first of each thread to use it."""
        first = {}
        for index, call in enumerate(traced):
            for value in call["args"].values():
                if isinstance(value, str) and value.startswith(("stack", "data:")):
                    segment = call["thread"], value.split("+")[0]
                    first.setdefault(segment, index)
        return set(first.values())

    def creations(self, rank):
        """A created object that gets a name of its own is noticed at its next use."""
        for kind in ("comm", "type", "group", "op", "win", "file", "req", "message", "info"):
            traced = self.traced(rank)
            seen = {}
            for index, call in enumerate(traced):
                for name, value in call["args"].items():
                    fits = isinstance(value, str) and re.fullmatch(kind + r"\d+", value)
                    if fits and compare.creates(call["func"], name):
                        seen[value] = (call, name)
            if not seen:
                continue
            call, name = self.random.choice(list(seen.values()))
            call["args"][name] = wrong(call["args"][name])
            self.expect(self.differences(traced, rank), f"{call['func']} {name} renamed")

    def change(self, what, rank=0, constant=True):
        """Runs `what` on a fresh trace; it returns what it did."""
        traced = self.traced(rank)
        done = what(traced)
        self.expect(self.differences(traced, rank, constant), done)

    def pick(self, traced, accept):
        return self.random.choice([c for c in traced if accept(c)])

    def structure(self):
        def dropped(traced):
            traced.remove(call := self.pick(traced, lambda c: c["func"] == "MPI_Barrier"))
            return f"dropped {call['seq']}"

        def added(traced):
            call = self.pick(traced, lambda c: c["func"] == "MPI_Bcast")
            traced.insert(traced.index(call), copy.deepcopy(call))
            return f"twice {call['seq']}"

        def last(traced):
            traced.pop()
            return "no MPI_Finalize"

        def swapped(traced):
            calls = sorted(traced, key=lambda c: c["seq"])
            for one, two in zip(calls, calls[1:]):
                if one["func"] == two["func"] == "MPI_Irecv":
                    one["seq"], two["seq"] = two["seq"], one["seq"]
                    return f"swapped {one['seq']}"
            raise AssertionError

        def deep(traced):
            self.pick(traced, lambda c: c["depth"] == 1)["depth"] = 0
            return "depth"

        def code(traced):
            self.pick(traced, lambda c: c["ret"] != "MPI_SUCCESS")["ret"] = "MPI_SUCCESS"
            return "error lost"

        def unmatched(traced):
            del self.pick(traced, lambda c: "matched" in c)["matched"]
            return "matched lost"

        def mismatched(traced):
            call = self.pick(traced, lambda c: isinstance(c.get("matched"), dict))
            call["matched"] = call["matched"] | {"source": call["matched"]["source"] + 1}
            return "matched another source"

        def overmatched(traced):
            call = self.pick(traced, lambda c: c["func"] == "MPI_Recv" and "matched" not in c)
            call["matched"] = {"source": 0, "tag": 0, "bytes": 0}
            return "matched without a wildcard"

        def parameter(traced):
            del self.pick(traced, lambda c: c["func"] == "MPI_Send")["args"]["tag"]
            return "parameter lost"

        def extra(traced):
            self.pick(traced, lambda c: c["func"] == "MPI_Send")["args"]["more"] = 1
            return "parameter too many"

        def exchanged(traced):
            call = self.pick(
                traced,
                lambda c: len(a := c["args"].get("array_of_requests", [])) > 1
                and a[0] != a[1],
            )
            array = call["args"]["array_of_requests"]
            array[0], array[1] = array[1], array[0]
            return "requests of an array exchanged"

        def merged(traced):
            # Two communicators of one time under one name.
            text = json.dumps(traced).replace('"comm1"', '"comm0"')
            traced[:] = json.loads(text)
            return "two communicators under one name"

        def flag(traced):
            call = self.pick(traced, lambda c: c["func"] == "MPI_File_open" and "|" in
                             str(c["args"]["amode"]))  # fmt: skip
            call["args"]["amode"] = call["args"]["amode"].split("|")[0]
            return "a flag of a mode lost"

        def shifted(traced):
            call = self.pick(
                traced, lambda c: str(c["args"].get("buf")).startswith("data:")
            )
            call["args"]["buf"] = wrong(call["args"]["buf"])
            return "buffer shifted"

        def seven(traced):
            return shifted(traced) + " where segments may move"

        def thread(traced):
            for call in traced:
                if call["seq"] > 100:
                    call["thread"] = 1
            return "calls of one thread told of two"

        for change in (dropped, added, last, swapped, deep, code, unmatched, mismatched,
                       overmatched, parameter, extra, exchanged, merged, flag, shifted,
                       thread):  # fmt: skip
            self.change(change)
        self.change(seven, constant=False)

    def command(self):
        """The same through the command line."""
        everything = [call for rank in self.recorded for call in self.traced(rank)]
        other = copy.deepcopy(everything)
        for call in other:
            if call["func"] == "MPI_Bcast":
                call["args"]["root"] = wrong(call["args"]["root"])
                break
        foreign = {"func": "MPI_Wtime", "args": {}, "depth": 0, "ret": None}
        with tempfile.TemporaryDirectory() as folder:
            stub = pathlib.Path(folder) / "pilgrim"
            stub.write_text('#!/bin/sh\ntest "$1 $2" = "print --json" && exec cat "$3"\n')
            stub.chmod(0o755)
            trace = pathlib.Path(folder) / "trace"

            def run(calls, prefix=self.prefix):
                trace.write_text("".join(json.dumps(call) + "\n" for call in calls))
                command = [sys.executable, compare.__file__, "--constant-segments",
                           "--recorded", prefix, "--trace", trace, "--pilgrim", stub]  # fmt: skip
                done = subprocess.run(command, capture_output=True, text=True)
                return done.returncode, done.stdout + done.stderr

            code, text = run([everything[0] | foreign | {"seq": -1}, *everything])
            self.expect(code == 0 and "agree:" in text, f"unchanged: {code} {text}")
            print(text, end="")
            code, text = run(other)
            self.expect(code == 1 and "MPI_Bcast root: recorded" in text, text)
            code, text = run([c for c in everything if c["rank"] != 1])
            self.expect(code == 1 and "ranks:" in text, "a rank lost")
            code, text = run(everything, self.prefix + "-none")
            self.expect(code == 2, "nothing recorded")
            trace.unlink()
            stub.write_text("#!/bin/sh\nexit 2\n")
            code, text = run(everything)
            self.expect(code == 2, "pilgrim failed")


def main():
    test = Test(sys.argv[1])
    for rank in test.recorded:
        if found := test.differences(test.traced(rank), rank):
            print("\n".join(found[:10]))
            sys.exit(f"rank {rank}: the unchanged trace differs")
        test.everyParameter(rank)
        test.creations(rank)
    test.structure()
    test.command()
    for what in test.missed:
        print(f"missed: {what}")
    print(f"{test.noticed} faults noticed, {len(test.missed)} missed")
    return 1 if test.missed or test.noticed < 500 else 0


if __name__ == "__main__":
    sys.exit(main())
