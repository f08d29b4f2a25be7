"""Every object of a rank is made before it is used, freed at most once, and not used after that. Memory is freed at most
once after it was used.

A handle is gone once the call that frees it returns, whatever still needs the object. What a call hands out that may be
known already (`ref` in the table: MPI_Comm_group, MPI_Type_get_contents) counts: each is to be freed.
"""

from calls import INVALID, Block, Handle, isMade

PERSISTENT, ONCE = "persistent", "once"
FREED = "(freed)"  # no call


def listed(value):
    return value if isinstance(value, list) else [value]


def completed(call):
    """Places in the call's requests that it completes, and whether there is more than one request."""
    about, args = call.about, call.args
    requests = listed(args[requestsOf(about).name])
    if about.completes_test and args.get("flag") == 0:
        return []
    if about.completes == "any":
        index = args["index"]
        return [index] if isinstance(index, int) and index >= 0 else []
    if about.completes == "some":
        return args["array_of_indices"] or []
    return range(len(requests))


def requestsOf(about):
    return next(p for p in about.params if p.kind == "request")


class Roles:
    """Which handles a function uses, frees and makes."""

    def __init__(self, about):
        handles = [p for p in about.params if "." not in p.kind and p.kind in KINDS]
        self.uses = [p.name for p in handles if p.direction != "out"]
        self.frees = [p.name for p in handles if p.frees]
        self.makes = [(p.name, p.ref) for p in handles if p.direction == "out"]
        self.starts = about.starts


KINDS = {"comm", "datatype", "op", "group", "win", "file", "request", "message", "info", "errhandler", "session"}


class Lifetimes:
    def __init__(self, report):
        self.report = report
        self.live = {kind: {} for kind in KINDS}  # id: references, or for requests what they are
        self.active = set()  # persistent requests that were started
        self.unsure = set()  # requests of calls that failed: MPI may have freed them
        self.blocks = set()  # of memory: those that calls have named
        self.roles = {}
        self.made = 0

    def call(self, call):
        if call.name == FREED:
            self.freed(call)
        else:
            self.blocks |= {value for value in call.args.values() if isinstance(value, Block)}
        if call.about is None:
            return
        roles = self.roles.get(call.name)
        if roles is None:
            roles = self.roles[call.name] = Roles(call.about)
        if call.ret != "MPI_SUCCESS":
            if call.about.completes:
                self.unsure |= {h.id for h in listed(call.args[requestsOf(call.about).name]) if isMade(h)}
            return
        for name in roles.uses:
            for handle in listed(call.args[name]):
                self.use(call, handle)
        for name in roles.frees:
            for handle in listed(call.args[name]):
                self.free(call, handle)
        if roles.starts:
            for handle in listed(call.args[roles.starts]):
                self.start(call, handle)
        if call.about.completes:
            requests = listed(call.args[requestsOf(call.about).name])
            for place in completed(call):
                if not 0 <= place < len(requests):
                    self.report("completes a request that is not there", call)
                    continue
                self.complete(call, requests[place])
        for name, ref in roles.makes:
            for handle in listed(call.args[name]):
                self.make(call, handle, ref)

    def freed(self, call):
        block = call.args["block"]
        if block not in self.blocks:
            self.report("of memory that no call has named since it was freed", call)
        self.blocks.discard(block)

    def use(self, call, handle):
        if not isinstance(handle, Handle):
            return
        if handle.id == INVALID:
            self.report(f"uses a {handle.kind} that is unknown", call)
        elif isMade(handle) and handle.id not in self.live[handle.kind]:
            if not (handle.kind == "request" and handle.id in self.unsure):
                self.report(f"uses {handle.kind} {handle.id}, which is not alive", call)

    def free(self, call, handle):
        if not isMade(handle):
            return
        live = self.live[handle.kind]
        if handle.kind == "request":
            live.pop(handle.id, None)
            self.active.discard(handle.id)
        elif handle.id in live:
            live[handle.id] -= 1
            if not live[handle.id]:
                del live[handle.id]

    def start(self, call, handle):
        if not isMade(handle):
            self.report("starts no request", call)
        elif self.live["request"].get(handle.id) != PERSISTENT:
            self.report(f"starts request {handle.id}, which is not persistent", call)
        elif handle.id in self.active:
            self.report(f"starts request {handle.id}, which is active", call)
        else:
            self.active.add(handle.id)

    def complete(self, call, handle):
        if isMade(handle):
            self.active.discard(handle.id)
            if self.live["request"].get(handle.id) == ONCE:
                del self.live["request"][handle.id]

    def make(self, call, handle, ref):
        if not isinstance(handle, Handle):
            return
        if handle.id == INVALID:
            self.report(f"makes a {handle.kind} without a name", call)
        if not isMade(handle):
            return
        self.made += 1
        live = self.live[handle.kind]
        if handle.id in live and not ref and not (handle.kind == "request" and handle.id in self.unsure):
            self.report(f"makes {handle.kind} {handle.id}, which is alive", call)
        if handle.kind == "request":
            live[handle.id] = PERSISTENT if call.about.persistent else ONCE
            self.unsure.discard(handle.id)
        else:
            live[handle.id] = live.get(handle.id, 0) + 1 if ref else 1
