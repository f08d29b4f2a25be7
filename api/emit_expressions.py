"""Lengths and significance of parameters as C++ expressions in a wrapper."""

from expressions import Binary, Call, Expression, Name, Number
from function import Function, Param


def c_expression(e: Expression, f: Function, before: list[str]) -> str:
    """before: where snapshots of inout parameters go."""
    match e:
        case Number(value):
            return str(value)
        case Name(name):
            p = f.param(name)
            if p is None:
                return name
            if p.direction == "in":
                return f"int64_t({name})"
            if p.direction == "out":
                return f"valueOf({name})"
            snapshot(name, before)
            return f"std::min<int64_t>(Before_{name}, valueOf({name}))"
        case Binary(operator, left, right):
            return f"({c_expression(left, f, before)} {operator} {c_expression(right, f, before)})"
        case Call("min", (left, right)):
            return f"std::min<int64_t>({c_expression(left, f, before)}, {c_expression(right, f, before)})"
        case Call("last" | "sum" as function, (Name(array),)):
            return f"{function}Of({array}, {c_expression(f.param(array).length, f, before)})"
        case Call("own", (Name(array),)):
            comm = next(p.name for p in f.params if p.kind == "comm")
            return f"ownOf({comm}, {array})"
        case Call("size", (Name(name),)) if f.param(name).kind == "win":
            return f"winsizeOf({name})"  # handles of different kinds may have one C type
        case Call(function, arguments):
            return f"{function}Of({', '.join(a.name for a in arguments)})"
    raise AssertionError(e)


def snapshot(name: str, before: list[str]) -> None:
    """Keeps what a parameter points to, as it is before the call, in Before_NAME."""
    line = f"auto Before_{name} = {name} ? *{name} : decltype(+*{name}){{}};"
    if line not in before:
        before.append(line)


def significance(f: Function, p: Param) -> str | None:
    """The condition under which a parameter means anything at this process; None: always."""
    conditions = []
    for name, negated in ((p.at, ""), (p.notat, "!")):
        if name:
            group = f.param(name).rank_of
            is_at = "isAtInGroup" if f.param(group).kind == "group" else "isAt"
            conditions.append(f"{negated}{is_at}({group}, {name})")
    if p.unless:
        conditions.append(f"{p.unless} != MPI_IN_PLACE")
    return " && ".join(conditions) or None
