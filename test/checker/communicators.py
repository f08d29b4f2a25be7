"""Who is in which communicator: handles of several ranks are tied to one communicator by the calls that made it.

A creation is known by its parent, how many creations over the parent the rank had made before, and the smallest world
rank of the group, which the trace says of every communicator; where not all of the parent take part, by the members of
the group. Ranks register under that key, in their own ranks; once as many are there as the communicator is large, it is
complete. Own ranks must then be all from 0 up, and the smallest world rank what the trace says.

Communicators with processes of other worlds (spawned, connected) are foreign: nothing is known of who is in them.
"""

from calls import Handle, isMade

FOREIGN = {"MPI_Comm_spawn", "MPI_Comm_spawn_multiple", "MPI_Comm_accept", "MPI_Comm_connect", "MPI_Comm_join",
           "MPI_Comm_get_parent"}  # fmt: skip


class Comm:
    """sides: world ranks by own rank, two of them if it is an intercommunicator; None while somebody is missing."""

    number = 0

    def __init__(self, sizes, sides=None, foreign=False):
        Comm.number += 1
        self.number, self.sizes, self.sides, self.foreign = Comm.number, sizes, sides, foreign
        self.arrived = [{} for _ in sizes]

    def isInter(self):
        return len(self.sizes) == 2

    def members(self):
        return [rank for side in self.sides for rank in side]


class Communicators:
    def __init__(self, world, report):
        self.report = report
        self.world = Comm([world], [list(range(world))])
        self.selves = {}
        self.comms = {}  # by key
        self.pairs = {}  # both sides of an intercommunicator that is being made

    def predefined(self, name, rank):
        if name == "MPI_COMM_SELF":
            return self.selves.setdefault(rank, Comm([1], [[rank]])), 0
        return (self.world, 0) if name == "MPI_COMM_WORLD" else (None, 0)

    def arrive(self, key, rank, handle, side, call):
        """Registers a member; gives the communicator, and which side of it the rank is on."""
        own, size, leader, remote = handle.words
        sizes = [size] if remote < 0 else [size, remote] if side == 0 else [remote, size]
        comm = self.comms.get(key)
        if comm is None:
            comm = self.comms[key] = Comm(sizes)
        if comm.sizes != sizes:
            self.report(f"communicator of {sizes} processes, of {comm.sizes} on other ranks", call)
            return comm, side
        there = comm.arrived[side]
        if not 0 <= own < size or own in there:
            self.report(f"own rank {own} of {size}: is another one's", call)
            return comm, side
        there[own] = rank, leader
        if all(len(a) == n for a, n in zip(comm.arrived, comm.sizes)):
            comm.sides = [[a[i][0] for i in range(n)] for a, n in zip(comm.arrived, comm.sizes)]
            for members, arrived in zip(comm.sides, comm.arrived):
                if any(least != min(members) for _, least in arrived.values()):
                    self.report(f"smallest world rank of {members} is not what is said", call)
        return comm, side


class RankComms:
    """A rank's communicators and groups by their ids."""

    def __init__(self, all, rank):
        self.all, self.rank = all, rank
        self.comms, self.wins, self.files = {}, {}, {}
        self.groups = {}  # members, and how often the handle was handed out
        self.ordinals = {}

    def find(self, handle):
        """(communicator, own side)"""
        if not isinstance(handle, Handle):
            return None, 0
        if not isMade(handle):
            return self.all.predefined(handle.id, self.rank)
        return self.comms.get(handle.id, (None, 0))

    def ordinal(self, key):
        self.ordinals[key] = self.ordinals.get(key, 0) + 1
        return self.ordinals[key]

    # Communicators -----------------------------------------------------------

    def create(self, call):
        """Of a call that makes a communicator (or is collective over one and this rank gets none). A generator: waits
        until the members of groups are known."""
        name, args = call.name, call.args
        out = next(p.name for p in call.about.params if p.kind == "comm" and p.direction == "out")
        new = args[out]
        if name in FOREIGN:
            if isMade(new):
                self.comms[new.id] = Comm([0], foreign=True), 0
            return
        if name == "MPI_Comm_create_from_group":
            members = tuple(self.group(args["group"]))
            key = "from group", members, args["stringtag"]
        elif name == "MPI_Comm_create_group":
            parent, _ = self.find(args["comm"])
            members = tuple(self.group(args["group"]))
            key = "group", parent and parent.number, members, args["tag"]
        elif name == "MPI_Intercomm_create_from_groups":
            yield from self.createInterFromGroups(new, call)
            return
        elif name == "MPI_Intercomm_create":
            yield from self.createInter(new, call)
            return
        else:
            parent, side = self.find(args[call.about.collective])
            if parent is None or parent.foreign:
                if isMade(new):
                    self.comms[new.id] = Comm([0], foreign=True), 0
                return
            ordinal = self.ordinal(parent.number)
            if not isMade(new):
                return
            isInter = new.words[3] >= 0
            # What both sides of an intercommunicator say alike.
            which = args.get("color") if isInter else new.words[2]
            self.enter(new, ("over", parent.number, ordinal, which), side if isInter else 0, call)
            return
        if isMade(new):
            self.enter(new, (*key, self.ordinal(key)), 0, call)

    def enter(self, new, key, side, call):
        self.comms[new.id] = self.all.arrive(key, self.rank, new, side, call)

    def createInter(self, new, call):
        """The leaders say through the peer communicator which two groups belong together."""
        args = call.args
        local, _ = self.find(args["local_comm"])
        if local is None or local.foreign:
            if isMade(new):
                self.comms[new.id] = Comm([0], foreign=True), 0
            return
        while local.sides is None:
            yield local
        here = local.number, self.ordinal(local.number)
        if local.sides[0][args["local_leader"]] == self.rank:
            peer, side = self.find(args["peer_comm"])
            if peer is None or peer.foreign:
                self.comms[new.id] = Comm([0], foreign=True), 0
                return
            while peer.sides is None:
                yield peer
            there = peer.sides[1 - side if peer.isInter() else 0][args["remote_leader"]]
            key = peer.number, frozenset((self.rank, there)), args["tag"]
            self.lead(here, (*key, self.ordinal(key)))
        yield from self.joinInter(new, here, call)

    def createInterFromGroups(self, new, call):
        """Only the leaders say what the other group is."""
        args = call.args
        local = tuple(self.group(args["local_group"]))
        here = "side", local, args["stringtag"]
        here = *here, self.ordinal(here)
        if local[args["local_leader"]] == self.rank:
            remote = tuple(self.group(args["remote_group"]))
            leaders = frozenset((self.rank, remote[args["remote_leader"]]))
            key = "from groups", frozenset((local, remote)), leaders, args["stringtag"]
            self.lead(here, (*key, self.ordinal(key)))
        yield from self.joinInter(new, here, call)

    def lead(self, here, key):
        """Of the leader of a side: both leaders have the same key."""
        pair = self.all.pairs.setdefault(key, [])
        pair.append(here)
        self.all.pairs[here] = pair

    def joinInter(self, new, here, call):
        while here not in self.all.pairs or len(self.all.pairs[here]) < 2:
            yield None
        pair = sorted(self.all.pairs[here])
        self.enter(new, ("inter", *pair), pair.index(here), call)

    # Groups ------------------------------------------------------------------

    def group(self, handle):
        return self.groups.get(handle.id, ([], 0))[0] if isMade(handle) else []

    def makeGroup(self, call):
        """A generator, as above."""
        args = call.args
        name = next(p.name for p in call.about.params if p.kind == "group" and p.direction == "out")
        new = args[name]
        if not isMade(new):
            return
        over = next((p for p in call.about.params if p.kind in ("comm", "win", "file")), None)
        if over:
            found = {"comm": self.find, "win": self.window, "file": self.file}[over.kind]
            comm, side = found(args[over.name])
            if comm is None or comm.foreign:
                return
            while comm.sides is None:
                yield comm
            if call.name == "MPI_Comm_remote_group":
                side = 1 - side
            members = comm.sides[side]
        elif call.name == "MPI_Group_from_session_pset":
            isSelf = args["pset_name"].endswith("SELF")
            members = [self.rank] if isSelf else self.all.world.members()
        else:
            members = self.combine(call.name, args)
        before, times = self.groups.get(new.id, (None, 0))
        if times and before != members:
            self.all.report(f"group {new.id} is {before}, and {members} at the same time", call)
        self.groups[new.id] = list(members), times + 1

    def freeGroup(self, handle):
        members, times = self.groups.pop(handle.id, ([], 0)) if isMade(handle) else ([], 0)
        if times > 1:
            self.groups[handle.id] = members, times - 1

    def combine(self, name, args):
        if "group1" in args:
            one, other = self.group(args["group1"]), self.group(args["group2"])
            if name == "MPI_Group_union":
                return one + [r for r in other if r not in one]
            return [r for r in one if (r in other) == (name == "MPI_Group_intersection")]
        group = self.group(args["group"])
        if "ranges" in args:
            words = args["ranges"]
            ranks = []
            for first, last, stride in zip(words[::3], words[1::3], words[2::3]):
                ranks += range(first, last + (1 if stride > 0 else -1), stride)
        else:
            ranks = args["ranks"]
        if name.endswith("incl"):
            return [group[r] for r in ranks if r < len(group)]
        return [r for i, r in enumerate(group) if i not in set(ranks)]

    def window(self, handle):
        return self.wins.get(handle.id, (None, 0)) if isMade(handle) else (None, 0)

    def file(self, handle):
        return self.files.get(handle.id, (None, 0)) if isMade(handle) else (None, 0)
