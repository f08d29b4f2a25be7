"""How the slots of a function belong together, by docs/format.md alone: what the schema says, and what goes without
saying."""

(COUNT, DATATYPE, DISPLACEMENTS, FACTOR, PER_PROCESS, PER_MEMBER, PER_SOURCE, PER_DESTINATION, OWN_COUNT, READ_AND_WRITTEN,
 READ_AT_ROOT, AT_ROOT, NOT_AT_ROOT, EVERYWHERE, GROUP, MAKES, FINDS, FREES, STARTS, COMPLETES, KEEPS) = range(1, 22)
LEVEL = 24
NUMBERED = (COUNT, DATATYPE, DISPLACEMENTS, FACTOR, GROUP, LEVEL)
KNOWN = (*range(1, 22), LEVEL)
# Kinds and bits of slots.
KIND_COUNT, KIND_DISPLACEMENT, KIND_BYTES, KIND_RANK, KIND_STATUS, KIND_BUFFER = 1, 2, 3, 6, 22, 25
KIND_COMM, KIND_DATATYPE, KIND_GROUP, KIND_WIN, KIND_FILE, KIND_REQUEST = 10, 11, 13, 14, 15, 16
GROUPS = (KIND_COMM, KIND_GROUP, KIND_WIN, KIND_FILE)
HANDLES = (*range(10, 22), 28)
IS_ARRAY, IS_OUTPUT, IS_HIDDEN = 1, 2, 8


class Slot:
    """What is known of a slot; others by their numbers, 0 for none. does: in, out, both, or root (read there, written
    elsewhere)."""

    def __init__(self, kind, bits, said):
        self.kind, self.said = kind, dict(said)
        self.isArray, self.isOutput, self.isHidden = (bool(bits & b) for b in (IS_ARRAY, IS_OUTPUT, IS_HIDDEN))
        self.count = self.datatype = self.displacements = self.factor = self.group = 0
        self.per = self.does = self.use = None
        self.own = OWN_COUNT in self.said
        self.where = EVERYWHERE

    def one(self, *among):
        return next((r for r in among if r in self.said), None)


def relationsOf(function):
    """(root, slots) of a function as tables.py reads it."""
    slots = [Slot(kind, bits, said) for (_, kind, bits, _), said in zip(function.slots, function.said)]
    every = [i for i in range(1, len(slots)) if not slots[i].isHidden]
    root = rankGroups(slots, every, function.isCollective)
    buffers = [i for i in every if slots[i].kind == KIND_BUFFER]
    for i in buffers:
        contents(slots, i)
        direction(slots[i], root, len(buffers))
    significance(slots, every, buffers, root)
    for i in every:
        if slots[i].kind in HANDLES:
            slots[i].use = slots[i].one(MAKES, FINDS, FREES, STARTS, COMPLETES, KEEPS) or usualUse(slots, every, i)
    return root, slots


def rankGroups(slots, every, isCollective):
    root = 0
    groups = [i for i in every if slots[i].kind in GROUPS and not slots[i].isOutput]
    for i in every:
        if slots[i].kind == KIND_RANK:
            nearest = [g for g in reversed(groups) if g < i] + [g for g in groups if g > i]
            slots[i].group = slots[i].said.get(GROUP, nearest[0] if nearest else 0)
            if not root and isCollective and slots[i].group and not slots[i].isArray and not slots[i].isOutput:
                root = i
    return root


def contents(slots, buffer):
    s, passed = slots[buffer], []
    for i in range(buffer + 1, len(slots)):
        other = slots[i]
        if other.isHidden:
            break
        if other.kind == KIND_DATATYPE and not other.isOutput:
            s.datatype = i
            s.count = next((p for p in passed if slots[p].kind == KIND_COUNT), 0)
            s.displacements = next((p for p in passed if slots[p].kind == KIND_DISPLACEMENT), 0)
            break
        if other.kind == KIND_DISPLACEMENT and other.isArray or other.kind in (KIND_COUNT, KIND_BUFFER):
            passed.append(i)
            continue
        if i == buffer + 1 and other.kind in (KIND_BYTES, KIND_DISPLACEMENT):
            s.count = i
        break
    s.count = s.said.get(COUNT, s.count)
    s.datatype = s.said.get(DATATYPE, s.datatype)
    s.displacements = s.said.get(DISPLACEMENTS, s.displacements)
    s.factor = s.said.get(FACTOR, 0)
    s.per = s.one(PER_PROCESS, PER_MEMBER, PER_SOURCE, PER_DESTINATION)


def direction(s, root, number):
    if READ_AND_WRITTEN in s.said:
        s.does = "both"
    elif READ_AT_ROOT in s.said or (s.isOutput and root and number == 1):
        s.does = "root"
    else:
        s.does = "out" if s.isOutput else "in"


def significance(slots, every, buffers, root):
    owners = {}
    for i in buffers:
        s = slots[i]
        s.where = s.one(AT_ROOT, NOT_AT_ROOT, EVERYWHERE) or (AT_ROOT if root and s.does == "out" else EVERYWHERE)
        for other in {s.count, s.datatype, s.displacements, s.factor} - {0}:
            owners.setdefault(other, []).append(i)
    for i in every:
        if i not in buffers:
            mine = owners.get(i, [])
            usual = slots[mine[0]].where if len(mine) == 1 else EVERYWHERE
            slots[i].where = slots[i].one(AT_ROOT, NOT_AT_ROOT, EVERYWHERE) or usual


def usualUse(slots, every, i):
    if not slots[i].isOutput:
        return KEEPS
    if len(every) == 1:
        return FREES
    if slots[i].kind == KIND_GROUP:
        return FINDS
    isBeforeStatus = any(slots[j].kind == KIND_STATUS for j in every if j > i)
    return COMPLETES if slots[i].kind == KIND_REQUEST and isBeforeStatus else MAKES
