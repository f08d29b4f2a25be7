"""Every message that was received was sent: by that process, with that tag, on that communicator, of that size, and in
the order that MPI promises.

Of the messages from one process to another on a communicator, a receive gets the first one that fits and that no
receive posted before it got. So each rank's receives are gone through in the order in which they were posted, and each
takes the first that fits; a matched probe is a receive posted where it is made, other probes only look. A receive that
was cancelled takes nothing. Of one with a wildcard that never completed nobody knows what it got.
"""

from collections import deque

ANY_SOURCE, ANY_TAG = "MPI_ANY_SOURCE", "MPI_ANY_TAG"


class Send:
    def __init__(self, call, tag, size):
        self.call, self.tag, self.size = call, tag, size
        self.taken = False
        self.mayBeCancelled = False


class Receive:
    """key: communicator and, if it is partitioned, that it is. world: world ranks of the sources by their rank."""

    def __init__(self, call, comm, world, source, tag, room, looks=False):
        self.call, self.comm, self.world, self.source, self.tag, self.room = call, comm, world, source, tag, room
        self.looks = looks  # a probe
        self.completed = self.mayBeCancelled = False
        self.status = None

    def complete(self, status):
        self.completed, self.status = True, status


class Channel:
    """Messages from one process to another on a communicator, in the order in which they were sent."""

    def __init__(self):
        self.sends, self.byTag, self.first = [], {}, 0

    def add(self, send):
        self.sends.append(send)
        self.byTag.setdefault(send.tag, deque()).append(send)

    def find(self, tag):
        if tag == ANY_TAG:
            while self.first < len(self.sends) and self.sends[self.first].taken:
                self.first += 1
            return self.sends[self.first] if self.first < len(self.sends) else None
        queue = self.byTag.get(tag, ())
        while queue and queue[0].taken:
            queue.popleft()
        return queue[0] if queue else None


class Messages:
    def __init__(self, report):
        self.report = report
        self.channels = {}  # by communicator, source, destination
        self.posted = {}  # receives by rank
        self.sent = self.received = self.unknown = 0

    def send(self, comm, source, destination, send):
        self.sent += 1
        self.channels.setdefault((comm, source, destination), Channel()).add(send)

    def match(self, rank):
        for receive in self.posted.get(rank, ()):
            status = receive.status
            if receive.mayBeCancelled and (status is None or status.cancelled):
                continue
            source = status.source if status else receive.source
            if source == ANY_SOURCE:
                self.unknown += 1
                continue
            if receive.source not in (ANY_SOURCE, source):
                self.report(f"receives from {source} what {receive.source} was to send", receive.call)
                continue
            if not 0 <= source < len(receive.world):
                self.report(f"receives from {source}, who is not in the communicator", receive.call)
                continue
            channel = self.channels.get((receive.comm, receive.world[source], rank))
            send = channel.find(receive.tag) if channel else None
            while send and send.mayBeCancelled and status and (send.tag, send.size) != (status.tag, status.bytes):
                send.taken = True
                send = channel.find(receive.tag)
            if send is None:
                if receive.completed:
                    self.report(f"receives from {source} (rank {receive.world[source]} of the world) what was not sent",
                                receive.call)  # fmt: skip
                continue
            if not receive.looks:
                send.taken = True
                self.received += 1
            self.compare(receive, send, status)

    def compare(self, receive, send, status):
        if status is None:
            if receive.room is not None and send.size > receive.room:
                self.report(f"has room for {receive.room} bytes, and {send.size} were sent", receive.call)
        elif status.tag != send.tag:
            self.report(f"receives tag {status.tag} before tag {send.tag}", receive.call)
        elif status.bytes != send.size:
            self.report(f"receives {status.bytes} bytes, and {send.size} were sent", receive.call)

    def left(self):
        """Sends that nobody received: communicator, source, destination, how many."""
        for (comm, source, destination), channel in self.channels.items():
            number = sum(not send.taken for send in channel.sends)
            if number:
                yield comm, source, destination, number
