"""How the slots of a function belong together, in the words of a trace (trace/model/Schema.h, docs/format.md): what the
table says, what follows from the kinds of slots and their order, and what a trace therefore has to say besides.

A relation is (NAME, NUMBER): a slot, counted from 1 in the order of the parameters, or 0 where it needs none.
"""

from dataclasses import dataclass, field

from expressions import Binary, Call, Expression, Name, Number
from function import Function, Param

# Kinds of the table as kinds of a trace (trace/model/Kinds.def). All MPI_T handles are of one kind.
TRACE_KINDS = {
    "buffer": "Buffer", "memory": "Buffer", "baseptr": "Buffer", "count": "Count", "displ": "Displacement",
    "bytes": "Bytes", "aint": "Displacement", "address": "Address", "bigcount": "Count", "offset": "Offset",
    "int": "Int", "rank": "Rank", "tag": "Tag", "flag": "Flag", "error": "Error", "keyval": "Keyval",
    "status": "Status", "string": "String", "strings": "Strings", "stringss": "Strings", "pointer": "Pointer",
    "function": "Function", "comm": "Comm", "datatype": "Datatype", "op": "Op", "group": "Group", "win": "Win",
    "file": "File", "request": "Request", "message": "Message", "info": "Info", "errhandler": "Errhandler",
    "session": "Session",
}  # fmt: skip
GROUPS = ("Comm", "Group", "Win", "File")
HANDLES = (*GROUPS, "Datatype", "Op", "Request", "Message", "Info", "Errhandler", "Session", "Keyval", "Tool")
PER = {"size": "PerProcess", "localsize": "PerMember", "indegree": "PerSource", "outdegree": "PerDestination"}
MOST_SAID = 3  # of one slot (SlotInfo in runtime/core/FunctionInfo.h)


@dataclass
class OfSlot:
    """What is known of one slot. Slots are numbers, 0 is none."""

    # Of a buffer: what it holds, and what the call does with it (in, out, both, root: read there, written elsewhere).
    count: int = 0
    datatype: int = 0
    displs: int = 0
    factor: int = 0
    per: str | None = None
    own: bool = False
    does: str | None = None
    where: str = "Everywhere"
    group: int = 0  # of a rank
    use: str | None = None  # of a handle


@dataclass
class Relations:
    root: int = 0
    slots: list[OfSlot] = field(default_factory=list)


def trace_kind(param: Param) -> str:
    return TRACE_KINDS.get(param.kind, "Tool")


def recorded(function: Function) -> list[Param]:
    """Parameters that have a slot: all but the dots."""
    return [p for p in function.params if p.kind != "varargs"]


def is_output(param: Param) -> bool:
    return param.is_written and param.kind != "memory"


def is_array(param: Param) -> bool:
    return param.is_array or param.kind in ("strings", "stringss")


# What the table says


def said_by_table(f: Function) -> Relations:
    params = recorded(f)
    number = {p.name: at for at, p in enumerate(params, 1)}
    roots = {name for p in params for name in (p.at, p.notat, p.readat) if name}
    if len(roots) > 1:
        raise f.place.error(f"{f.name} has several roots: {' '.join(sorted(roots))}", "one")
    out = Relations(number[roots.pop()] if roots else 0, [OfSlot()])
    for p in params:
        s = OfSlot(where="AtRoot" if p.at else "NotAtRoot" if p.notat else "Everywhere")
        if trace_kind(p) == "Buffer":
            s.does = "root" if p.readat else "both" if p.direction == "inout" else "out" if is_output(p) else "in"
            if p.shape:
                read_count(s, p.shape.count, f, number)
                s.displs = number.get(p.shape.displs, 0)
                s.datatype = number.get(p.shape.datatype, 0)
        s.group = number.get(p.rank_of, 0)
        if trace_kind(p) in HANDLES:
            s.use = use_of(p, f)
        out.slots.append(s)
    return out


def read_count(s: OfSlot, e: Expression, f: Function, number: dict[str, int]) -> None:
    match e:
        case Number(1):
            pass
        case Name(name) | Call("sum", (Name(name),)):
            s.count = number[name]
        case Call("own", (Name(name),)):
            s.count, s.own = number[name], True
        case Binary("*", Name(count), Call(size, (Name(_),))) if size in PER:
            s.count, s.per = number[count], PER[size]
        case Binary("*", Name(factor), Name(count)):
            s.count, s.factor = number[count], number[factor]
        case _:
            raise f.place.error(f"{f.name}: no trace can tell the extent of a buffer", "COUNT, COUNT*size(comm) and others")


def use_of(p: Param, f: Function) -> str:
    if p.frees:
        return "Frees"
    if p.kind == "request" and f.completes:
        return "Completes"
    if f.starts == p.name:
        return "Starts"
    return ("Finds" if p.ref else "Makes") if p.direction == "out" else "Keeps"


# What follows from kinds and order


def usual(f: Function, said: Relations) -> Relations:
    """said: what the table says, of which the direction of buffers and their contents decide where values matter."""
    params = recorded(f)
    kinds = ["", *map(trace_kind, params)]
    slots = range(1, len(kinds))
    out = Relations(0, [OfSlot() for _ in kinds])
    is_group = lambda at: kinds[at] in GROUPS and not is_output(params[at - 1])  # noqa: E731
    for at in (at for at in slots if kinds[at] == "Rank"):
        p = params[at - 1]
        nearest = (*reversed(range(1, at)), *range(at + 1, len(kinds)))
        out.slots[at].group = next((other for other in nearest if is_group(other)), 0)
        if not out.root and f.collective and said.slots[at].group and not is_array(p) and not is_output(p):
            out.root = at
    buffers = [at for at in slots if kinds[at] == "Buffer"]
    owners: dict[int, list[int]] = {}
    for at in buffers:
        written, told = is_output(params[at - 1]), said.slots[at]
        s = out.slots[at]
        follow(s, at, kinds, params)
        s.does = "root" if written and out.root and len(buffers) == 1 else "out" if written else "in"
        s.where = "AtRoot" if out.root and told.does == "out" else "Everywhere"
        for slot in {told.count, told.datatype, told.displs, told.factor} - {0}:
            owners.setdefault(slot, []).append(at)
    for at in slots:
        if kinds[at] != "Buffer" and len(owners.get(at, ())) == 1:
            out.slots[at].where = said.slots[owners[at][0]].where
        if kinds[at] in HANDLES:
            behind = any(kinds[other] == "Status" for other in range(at, len(kinds)))
            if not is_output(params[at - 1]):
                out.slots[at].use = "Keeps"
            elif len(params) == 1:
                out.slots[at].use = "Frees"
            elif kinds[at] == "Group":
                out.slots[at].use = "Finds"
            else:
                out.slots[at].use = "Completes" if kinds[at] == "Request" and behind else "Makes"
    return out


def follow(s: OfSlot, buffer: int, kinds: list[str], params: list[Param]) -> None:
    """Behind a buffer stand other buffers, counts, displacements and its datatype; or its size."""
    count = displs = 0
    for at in range(buffer + 1, len(kinds)):
        p = params[at - 1]
        if kinds[at] == "Count":
            count = count or at
        elif kinds[at] == "Displacement" and is_array(p):
            displs = displs or at
        elif kinds[at] == "Datatype" and not is_output(p):
            s.count, s.datatype, s.displs = count, at, displs
            return
        elif kinds[at] != "Buffer":
            if at == buffer + 1 and kinds[at] in ("Bytes", "Displacement"):
                s.count = at
            return


# What a trace has to say


def exceptions(f: Function) -> list[list[tuple[str, int]]]:
    """By slot, from 1 on: what does not follow."""
    said = said_by_table(f)
    rule = usual(f, said)
    if said.root != rule.root:
        raise f.place.error(f"{f.name}: its root is no rank that a trace's readers find", "the first rank of a collective call")
    out = []
    for s, u in zip(said.slots[1:], rule.slots[1:]):
        differs = [("Count", s.count, u.count), ("Datatype", s.datatype, u.datatype)]
        differs += [("Displacements", s.displs, u.displs), ("Factor", s.factor, u.factor), ("Group", s.group, u.group)]
        found = [(name, told) for name, told, follows in differs if told != follows]
        found += [(name, 0) for name in (s.per, "OwnCount" if s.own else None) if name]
        if s.does != u.does:
            names = {"both": "ReadAndWritten", "root": "ReadAtRoot"}
            if s.does not in names:
                raise f.place.error(f"{f.name}: no trace can tell that a buffer is not read at the root", "readat=ROOT")
            found.append((names[s.does], 0))
        found += [(told, 0) for told, follows in ((s.where, u.where), (s.use, u.use)) if told != follows]
        if len(found) > MOST_SAID:
            raise f.place.error(f"{f.name}: too much to say of a slot: {found}", f"{MOST_SAID} relations")
        out.append(found)
    return out

