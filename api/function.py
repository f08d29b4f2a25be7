"""What the function table says, as objects: functions, parameters, constants; and what follows from them: the
large-count forms and the C type of every parameter. model.py reads them from the table's files.
"""

import re
from dataclasses import dataclass, field, replace

from expressions import Expression

LARGE_ID_OFFSET = 1000
SENTINELS = (
    "MPI_IN_PLACE", "MPI_BOTTOM", "MPI_STATUS_IGNORE", "MPI_STATUSES_IGNORE", "MPI_UNWEIGHTED", "MPI_WEIGHTS_EMPTY",
    "MPI_ERRCODES_IGNORE", "MPI_ARGV_NULL", "MPI_ARGVS_NULL", "MPI_BUFFER_AUTOMATIC",
)

HANDLES = {
    "comm": "MPI_Comm", "datatype": "MPI_Datatype", "op": "MPI_Op", "group": "MPI_Group", "win": "MPI_Win",
    "file": "MPI_File", "request": "MPI_Request", "message": "MPI_Message", "info": "MPI_Info",
    "errhandler": "MPI_Errhandler", "session": "MPI_Session", "tool.enum": "MPI_T_enum",
    "tool.cvar": "MPI_T_cvar_handle", "tool.pvar": "MPI_T_pvar_handle", "tool.pvar_session": "MPI_T_pvar_session",
    "tool.event": "MPI_T_event_registration", "tool.event_instance": "MPI_T_event_instance",
}  # fmt: skip
# Element types (plain, large).
NUMBERS = {
    "count": ("int", "MPI_Count"), "displ": ("int", "MPI_Aint"), "bytes": ("int", "MPI_Count"),
    "aint": ("MPI_Aint",) * 2, "address": ("MPI_Aint",) * 2, "bigcount": ("MPI_Count",) * 2,
    "offset": ("MPI_Offset",) * 2, "int": ("int",) * 2, "rank": ("int",) * 2, "tag": ("int",) * 2,
    "flag": ("int",) * 2, "error": ("int",) * 2, "keyval": ("int",) * 2,
}  # fmt: skip
POINTERS = ("buffer", "memory", "baseptr", "pointer")
# With the stars of the C type. Their length is that of the outermost vector.
STRINGS = {"string": 1, "strings": 2, "stringss": 3}
KINDS = (*NUMBERS, *HANDLES, *POINTERS, *STRINGS, "status", "function", "varargs")
# What the functions of a length expression take: the kinds of the first argument, and whether it is an array.
LENGTH_FUNCTIONS = {
    "size": (("comm", "win"), False), "localsize": (("comm",), False), "indegree": (("comm",), False),
    "outdegree": (("comm",), False), "neighbors": (("comm",), False), "ndims": (("comm",), False),
    "nnodes": (("comm",), False), "nedges": (("comm",), False), "nintegers": (("datatype",), False),
    "naddresses": (("datatype",), False), "nlargecounts": (("datatype",), False),
    "ndatatypes": (("datatype",), False), "last": (tuple(NUMBERS), True), "sum": (tuple(NUMBERS), True),
    "own": (tuple(NUMBERS), True), "ncvars": (("int",), False), "npvars": (("int",), False),
    "nevents": (("int",), False), "ncategories": (("int",), False),
}  # fmt: skip


class TableError(Exception):
    """One line: FILE:LINE: what is wrong; accepted: what would be right."""


@dataclass(frozen=True)
class Place:
    file: str
    line: int

    def error(self, what: str, accepted: str = "") -> TableError:
        return TableError(f"{self.file}:{self.line}: {what}" + (f"; accepted: {accepted}" if accepted else ""))


@dataclass(frozen=True)
class Shape:
    """What a buffer holds. datatype is a parameter or a predefined datatype; displs only in the v- and w-forms. memory
    has its size in bytes as count and no datatype."""

    count: Expression
    displs: str | None
    datatype: str | None


@dataclass(frozen=True)
class Param:
    name: str
    kind: str
    place: Place
    direction: str = "in"
    rank_of: str | None = None
    length: Expression | None = None
    shape: Shape | None = None
    at: str | None = None
    notat: str | None = None
    unless: str | None = None
    valid_if: str | None = None
    null: bool = False
    sentinels: tuple[str, ...] = ()
    readat: str | None = None
    frees: bool = False
    allocates: bool = False
    ref: bool = False
    late: bool = False
    machine: bool = False
    enum: str | None = None
    reads: str | None = None
    flags: str | None = None
    types: tuple[str, ...] = ()
    only_large: bool = False
    c_type: str = ""

    @property
    def is_array(self) -> bool:
        return self.length is not None and self.kind not in STRINGS

    @property
    def is_written(self) -> bool:
        return self.direction != "in"

    def c_type_in(self, large: bool) -> str:
        """The C type in the normal form of header.py: arrays as pointers, const only before the pointee."""
        own = self.types[-1] if large and self.types else self.types[0] if self.types else ""
        const = "" if self.is_written else "const "
        if self.kind == "varargs":
            return "..."
        if self.kind == "function":
            return own if own.endswith("*") else own + "*"
        if self.kind in POINTERS:
            return own or (const if self.kind == "buffer" else "") + "void*"
        if self.kind in STRINGS:
            stars = STRINGS[self.kind] + (self.kind != "string" and self.is_written)
            return (const if stars == 1 else "") + "char" + "*" * stars
        rows = re.fullmatch(r"(\w+)(\[\d+\])", own)
        if rows:
            return f"{const}{rows[1]}(*){rows[2]}"
        element = own or HANDLES.get(self.kind) or NUMBERS.get(self.kind, ("MPI_Status",) * 2)[large]
        if self.is_array or self.kind == "status":
            return const + element + "*"
        return element + "*" * self.is_written


@dataclass(frozen=True)
class Function:
    name: str
    id: int
    chapter: str
    place: Place
    params: tuple[Param, ...] = ()
    large: bool = False
    is_large_form: bool = False
    collective: str | None = None  # the parameter it synchronises over
    local: bool = False
    starts: str | None = None
    persistent: bool = False
    completes: str | None = None
    completes_test: bool = False
    wildcard: bool = False
    receives: bool = False
    begins: str | None = None  # what may be used from here on: "" MPI, else the parameter
    ends: str | None = None
    aborts: str | None = None
    switches: tuple[str, ...] = ()  # parameters that tell
    asked: bool = False
    removed: bool = False
    deprecated: bool = False
    since: str = "3.0"

    def param(self, name: str) -> Param | None:
        return next((p for p in self.params if p.name == name), None)

    def forms(self) -> list["Function"]:
        """The plain form, and the large-count form where there is one."""
        plain = tuple(replace(p, c_type=p.c_type_in(False)) for p in self.params if not p.only_large)
        if not self.large:
            return [replace(self, params=plain)]
        wide = tuple(replace(p, c_type=p.c_type_in(True)) for p in self.params)
        since = max(self.since, "4.0", key=lambda v: tuple(map(int, v.split("."))))
        named = replace(self, name=self.name + "_c", id=self.id + LARGE_ID_OFFSET, is_large_form=True, since=since)
        return [replace(self, params=plain), replace(named, params=wide)]


@dataclass
class Constants:
    """Names in the order of the file, which gives them their stable codes."""

    handles: dict[str, list[str]] = field(default_factory=dict)
    enums: dict[str, list[str]] = field(default_factory=dict)
    flags: dict[str, list[str]] = field(default_factory=dict)

    def all_names(self) -> set[str]:
        return {name for group in (self.handles, self.enums, self.flags) for names in group.values() for name in names}
