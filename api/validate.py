"""Checks that the function table fits together: ids, and everything that one line says of another."""

from expressions import Binary, Call, Expression, Name
from function import HANDLES, LARGE_ID_OFFSET, LENGTH_FUNCTIONS, NUMBERS, SENTINELS, Constants, Function, Param


def check_functions(functions: list[Function], constants: Constants) -> None:
    ids: dict[int, Function] = {}
    names: dict[str, Function] = {}
    for function in functions:
        for known, key in ((ids, function.id), (names, function.name)):
            if key in known:
                other = known[key]
                where = f"{other.name} at {other.place.file}:{other.place.line}"
                raise function.place.error(f"{function.name} = {function.id} is there already: {where}")
            known[key] = function
        if not 0 < function.id < LARGE_ID_OFFSET:
            raise function.place.error(f"{function.name}: id {function.id} is out of range", "1 to 999")
        check_function(function, constants)


def check_function(function: Function, constants: Constants) -> None:
    seen: set[str] = set()
    for param in function.params:
        if param.name in seen:
            raise param.place.error(f"{function.name} has two parameters {param.name}")
        seen.add(param.name)
        check_param(function, param, constants)
    if function.collective and function.local:
        raise function.place.error(f"{function.name} is collective and local", "one of them")
    if function.collective:
        refer(function, function.place, "collective", function.collective, ("comm", "win", "file", "group"))
    for attribute in ("begins", "ends"):
        if name := getattr(function, attribute):
            refer(function, function.place, attribute, name, ("session",))
    if function.aborts:
        refer(function, function.place, "aborts", function.aborts, ("int", "error"))
    for name in function.switches:
        refer(function, function.place, "switches", name, written=False)
    if function.wildcard and len(ranks_and_tags(function)) < 2:
        raise function.place.error(f"{function.name} has no source and tag that may be a wildcard")
    if function.starts:
        refer(function, function.place, "starts", function.starts, ("request",))
    if (function.completes or function.persistent) and not any(p.kind == "request" for p in function.params):
        raise function.place.error(f"{function.name} has no request to complete or make")


def ranks_and_tags(function: Function) -> list[Param]:
    """The source and tag of a receive, which are the last rank and tag, as far as there are."""
    inputs = [p for p in function.params if not p.is_written]
    last = [[p for p in inputs if p.kind == kind][-1:] for kind in ("rank", "tag")]
    return [p for found in last for p in found]


def refer(function, place, attribute, name, kinds=None, array=None, written=None) -> Param:
    """The parameter that an attribute names, of one of the kinds, array or not, written or not."""
    param = function.param(name)
    if not param:
        accepted = " ".join(p.name for p in function.params)
        raise place.error(f"{function.name}: {attribute} names '{name}', which is no parameter", accepted)
    if kinds and param.kind not in kinds:
        raise place.error(f"{function.name}: {attribute} names {name} of kind {param.kind}", " ".join(kinds))
    if array is not None and param.is_array != array:
        raise place.error(f"{function.name}: {attribute} names {name}", "an array" if array else "no array")
    if written is not None and param.is_written != written:
        raise place.error(f"{function.name}: {attribute} names {name}", "an out parameter")
    return param


def check_param(function: Function, param: Param, constants: Constants) -> None:
    place, what = param.place, f"{function.name}: {param.name}"
    if param.rank_of:
        refer(function, place, "rank", param.rank_of, ("comm", "group", "win", "file"), array=False)
    if param.length:
        check_expression(function, param, param.length, constants)
    check_shape(function, param, constants)
    for attribute in ("at", "notat", "readat"):
        if name := getattr(param, attribute):
            if not refer(function, place, attribute, name, ("rank",), array=False).rank_of:
                raise place.error(f"{what}: {attribute} names {name}, a rank in no one group", "a rank(PARAMETER)")
    if param.unless:
        other = refer(function, place, "unless", param.unless, ("buffer",))
        if "MPI_IN_PLACE" not in other.sentinels:
            raise place.error(f"{what}: {other.name} is never MPI_IN_PLACE", "a buffer with sentinel=MPI_IN_PLACE")
    if param.valid_if:
        refer(function, place, "if", param.valid_if, ("flag",), array=False, written=True)
    if param.reads and (param.kind != "status" or param.is_written or param.reads not in ("size", "mark")):
        raise place.error(f"{what}: reads={param.reads} is not known", "reads=size, reads=mark, of a status that is passed")
    for sentinel in param.sentinels:
        if sentinel not in SENTINELS:
            raise place.error(f"{what}: sentinel {sentinel} is not known", " ".join(SENTINELS))
    if param.frees and param.direction != "inout" and param.kind != "memory":
        raise place.error(f"{what}: frees needs inout", "an inout handle, memory")
    if param.allocates and (param.kind != "baseptr" or not param.shape):
        raise place.error(f"{what}: allocates is for memory of a known size", "baseptr out (SIZE)")
    if param.readat and (param.kind != "buffer" or param.direction != "inout"):
        raise place.error(f"{what}: readat is for what is read at the root and written elsewhere", "buffer inout")
    if (param.ref or param.late) and (param.kind not in HANDLES or param.direction != "out"):
        raise place.error(f"{what}: ref and late are for handles", "an out handle")
    if param.late and not any(p.kind == "request" for p in function.params):
        raise place.error(f"{what}: late, but there is no request")
    if param.only_large and not function.large:
        raise place.error(f"{what}: only=large, but {function.name} is not large")
    if param.kind == "function" and not param.types:
        raise place.error(f"{what}: a function needs its C type", "as=CTYPE")
    if len(param.types) > 2:
        raise place.error(f"{what}: too many C types", "as=CTYPE, as=CTYPE/CTYPE")
    if param.enum and param.enum not in constants.enums:
        raise place.error(f"{what}: enum {param.enum} is not known", " ".join(constants.enums) or "none yet")
    if param.flags and param.flags not in constants.flags:
        raise place.error(f"{what}: flags {param.flags} is not known", " ".join(constants.flags) or "none yet")
    if (param.enum or param.flags) and param.kind not in NUMBERS:
        raise place.error(f"{what}: enum and flags are for numbers", " ".join(NUMBERS))


def check_shape(function: Function, param: Param, constants: Constants) -> None:
    shape, place = param.shape, param.place
    if not shape:
        return
    if shape.displs:
        if not isinstance(shape.count, Name):
            what = f"{function.name}: {param.name}: counts must be a parameter"
            raise place.error(what, "(COUNTS, DISPLS, DATATYPE)")
        refer(function, place, "counts", shape.count.name, ("count",), array=True)
        refer(function, place, "displs", shape.displs, ("displ", "aint"), array=True)
    else:
        check_expression(function, param, shape.count, constants)
    if shape.datatype and not shape.datatype.startswith("MPI_"):
        refer(function, place, "datatype", shape.datatype, ("datatype",))


def check_expression(function: Function, param: Param, expression: Expression, constants: Constants) -> None:
    place = param.place
    match expression:
        case Name(name) if name.startswith("MPI_"):
            pass
        case Name(name):
            if refer(function, place, "a length", name, tuple(NUMBERS), array=False).name == param.name:
                raise place.error(f"{function.name}: {name} is its own length")
        case Binary(_, left, right) | Call("min", (left, right)):
            check_expression(function, param, left, constants)
            check_expression(function, param, right, constants)
        case Call(called, (Name(first), *rest)) if called in LENGTH_FUNCTIONS and len(rest) == (called == "neighbors"):
            kinds, array = LENGTH_FUNCTIONS[called]
            refer(function, place, called, first, kinds, array)
            for argument in rest:
                check_expression(function, param, argument, constants)
        case Call(called, _):
            accepted = " ".join(("min(A, B)", "neighbors(COMM, RANK)", *(f"{f}(PARAMETER)" for f in LENGTH_FUNCTIONS)))
            raise place.error(f"{function.name}: length '{called}(...)' is not known", accepted)
