"""Goes through a rank's calls: makes its communicators, collects its messages and its collective calls.

A generator for each rank, so that one can wait until others have come to where a communicator is made.
"""

import re

from calls import Handle, isMade
from communicators import RankComms
from lifetimes import completed, listed, requestsOf
from messages import ANY_SOURCE, ANY_TAG, Receive, Send

PROC_NULL = "MPI_PROC_NULL"
SEND = re.compile(r"MPI_(I?)([bsr]?)send(_init)?(_c)?", re.I)
SENDRECV = re.compile(r"MPI_I?sendrecv(_replace)?(_c)?", re.I)
RECEIVE = re.compile(r"MPI_(I?recv|recv_init)(_c)?", re.I)


class Operation:
    """What a request stands for. make() begins it, once more each time if it is persistent."""

    def __init__(self, call, make, isPersistent):
        self.call, self.make, self.isPersistent = call, make, isPersistent
        self.now = []  # sends and receives that are under way


def sizeOf(count, datatype):
    return count * datatype.words[0] if isinstance(count, int) and datatype and datatype.words else None


class RankWalk:
    def __init__(self, world, rank, calls, communicators, messages, collectives):
        self.rank, self.calls = rank, calls
        self.messages, self.collectives = messages, collectives
        self.comms = RankComms(communicators, rank)
        self.operations, self.arrived = {}, {}  # of requests; of matched messages
        self.posted = messages.posted[rank] = []
        self.roles = {}

    def run(self):
        for call in self.calls:
            if call.about is None or call.ret != "MPI_SUCCESS":
                continue
            role = self.roles.get(call.name)
            if role is None:
                role = self.roles[call.name] = self.roleOf(call)
            for step in role:
                waits = step(call)
                if waits is not None:
                    yield from waits

    def roleOf(self, call):
        """What is to be done at calls of a function."""
        about, name = call.about, call.name
        steps = []
        kinds = {(p.kind, p.direction) for p in about.params}
        if about.collective and about.param(about.collective).kind == "comm":
            steps.append(self.collective)
        if ("comm", "out") in kinds:
            steps.append(self.comms.create)
        if ("group", "out") in kinds:
            steps.append(self.comms.makeGroup)
        if any(p.kind == "group" and p.frees for p in about.params):
            steps.append(lambda call: self.comms.freeGroup(call.args["group"]))
        for kind in ("win", "file"):
            if (kind, "out") in kinds:
                steps.append(self.makeOver)
        if name == "MPI_Psend_init" or name == "MPI_Precv_init":
            steps.append(self.partitioned)
        elif SENDRECV.fullmatch(name) or SEND.fullmatch(name) or RECEIVE.fullmatch(name):
            steps.append(self.pointToPoint)
        elif re.fullmatch("MPI_I?m?probe", name, re.I):
            steps.append(self.probe)
        elif re.fullmatch("MPI_I?mrecv(_c)?", name, re.I):
            steps.append(self.matchedReceive)
        if about.starts:
            steps.append(self.start)
        if name == "MPI_Cancel":
            steps.append(self.cancel)
        if about.completes:
            steps.append(self.complete)
        if name == "MPI_Request_free":
            steps.append(self.free)
        return steps

    # Objects -----------------------------------------------------------------

    def collective(self, call):
        comm, _ = self.comms.find(call.args[call.about.collective])
        if comm is None or comm.foreign:
            return
        root = None if comm.isInter() else call.args.get("root")
        self.collectives.setdefault(comm.number, (comm, {}))[1].setdefault(self.rank, []).append((call.name, root))

    def makeOver(self, call):
        """Windows and files have the communicator that they were made over."""
        out = next(p for p in call.about.params if p.kind in ("win", "file") and p.direction == "out")
        new = call.args[out.name]
        if isMade(new):
            books = self.comms.wins if out.kind == "win" else self.comms.files
            books[new.id] = self.comms.find(call.args["comm"])

    # Messages ----------------------------------------------------------------

    def peers(self, call):
        """(number of the communicator, world ranks of those that can be sent to); a generator."""
        comm, side = self.comms.find(call.args["comm"])
        if comm is None or comm.foreign:
            return None, None
        while comm.sides is None:
            yield comm
        return comm.number, comm.sides[1 - side if comm.isInter() else 0]

    def pointToPoint(self, call):
        args, name = call.args, call.name
        number, world = yield from self.peers(call)
        if number is None:
            return
        makers = []
        if SENDRECV.fullmatch(name):
            replaces = "sendcount" not in args
            out = ("count", "datatype") if replaces else ("sendcount", "sendtype")
            into = ("count", "datatype") if replaces else ("recvcount", "recvtype")
            makers.append(lambda: self.send(call, number, world, args["dest"], args["sendtag"], sizeOf(*map(args.get, out))))
            makers.append(lambda: self.receive(call, number, world, args["source"], args["recvtag"],
                                               sizeOf(*map(args.get, into))))  # fmt: skip
        elif RECEIVE.fullmatch(name):
            makers.append(lambda: self.receive(call, number, world, args["source"], args["tag"],
                                               sizeOf(args["count"], args["datatype"])))  # fmt: skip
        else:
            makers.append(lambda: self.send(call, number, world, args["dest"], args["tag"],
                                            sizeOf(args["count"], args["datatype"])))  # fmt: skip
        self.begin(call, makers)

    def partitioned(self, call):
        """Matched when they are made, and by themselves."""
        args = call.args
        number, world = yield from self.peers(call)
        if number is None:
            return
        size = sizeOf(args["partitions"] * args["count"], args["datatype"])
        isSend = call.name == "MPI_Psend_init"
        kind = self.send if isSend else self.receive
        # Only the whole of it can be compared, as a receive that has completed.
        for made in kind(call, (number, "partitioned"), world, args["dest"], args["tag"], size):
            if not isSend:
                made.complete(None)
        self.begin(call, [])

    def begin(self, call, makers):
        """With a request, what it stands for; without, the receive is complete."""
        make = lambda: [made for maker in makers for made in maker()]
        request = call.args.get("request")
        if request is None:
            for made in make():
                if isinstance(made, Receive):
                    made.complete(statusOf(call))
            return
        if isMade(request):
            operation = self.operations[request.id] = Operation(call, make, call.about.persistent)
            if not call.about.persistent:
                operation.now = make()
        elif not call.about.persistent:
            make()

    def send(self, call, number, world, destination, tag, size):
        if destination == PROC_NULL or not self.knows(call, world, destination):
            return []
        send = Send(call, tag, size)
        self.messages.send(number, self.rank, world[destination], send)
        return [send]

    def receive(self, call, number, world, source, tag, room, looks=False):
        if source == PROC_NULL or (source != ANY_SOURCE and not self.knows(call, world, source)):
            return []
        receive = Receive(call, number, world, source, tag, room, looks)
        self.posted.append(receive)
        return [receive]

    def knows(self, call, world, rank):
        if isinstance(rank, int) and 0 <= rank < len(world):
            return True
        self.messages.report(f"there is no rank {rank} in the communicator", call)
        return False

    def probe(self, call):
        args = call.args
        if args.get("flag") == 0:
            return
        number, world = yield from self.peers(call)
        if number is None:
            return
        message = args.get("message")
        for made in self.receive(call, number, world, args["source"], args["tag"], None, message is None):
            made.complete(statusOf(call))
            if isMade(message):
                self.arrived[message.id] = made

    def matchedReceive(self, call):
        message = call.args["message"]
        receive = self.arrived.pop(message.id, None) if isMade(message) else None
        if receive is None:
            return
        receive.room = sizeOf(call.args["count"], call.args["datatype"])
        request = call.args.get("request")
        if isMade(request):
            operation = self.operations[request.id] = Operation(call, None, False)
            operation.now = [receive]
        else:
            self.again(call, receive, statusOf(call))

    def again(self, call, receive, status):
        """A matched message, once it has been received: its status is the probe's."""
        if status and receive.status and status[:3] != receive.status[:3]:
            self.messages.report(f"receives {status[:3]}, where the probe saw {receive.status[:3]}", call)
        elif status:
            receive.status = status

    # Requests ----------------------------------------------------------------

    def start(self, call):
        for request in listed(call.args[call.about.starts]):
            operation = self.operations.get(request.id)
            if operation and operation.make:
                operation.now = operation.make()

    def cancel(self, call):
        operation = self.operations.get(call.args["request"].id)
        for made in operation.now if operation else ():
            made.mayBeCancelled = True

    def free(self, call):
        """What is under way goes on."""
        self.operations.pop(call.args["request"].id, None)

    def complete(self, call):
        args = call.args
        requests = listed(args[requestsOf(call.about).name])
        places = completed(call)
        statuses = next((args[n] for n in ("status", "array_of_statuses") if isinstance(args.get(n), (list, tuple))), None)
        if not isinstance(statuses, list):
            statuses = [statuses]
        matched = args.get("matched")
        if not isinstance(matched, list):
            matched = [matched]
        for i, place in enumerate(places):
            if not 0 <= place < len(requests) or not isMade(requests[place]):
                continue
            operation = self.operations.get(requests[place].id)
            if operation is None:
                continue
            status = next((s[i] for s in (statuses, matched) if i < len(s) and s[i]), None)
            for made in operation.now:
                if isinstance(made, Receive):
                    if made.completed:
                        self.again(call, made, status)
                    made.complete(status or made.status)
            operation.now = []
            if not operation.isPersistent:
                del self.operations[requests[place].id]


def statusOf(call):
    """What the call says of the message, if anything."""
    return next((call.args[n] for n in ("status", "matched") if isinstance(call.args.get(n), tuple)), None)
