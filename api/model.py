"""The function table: reads api/mpi/*.api (syntax: README.md beside this file) into objects.

Errors are one line, FILE:LINE: what is wrong; accepted: what would be right. That the lines fit together is checked by
validate.py. Nothing here knows an installed MPI (header.py does) or generates anything.
"""

import re
from dataclasses import dataclass, replace
from pathlib import Path

from expressions import Expression, ExpressionError, parse_expression
from function import HANDLES, KINDS, Constants, Function, Param, Place, Shape, TableError
from validate import check_functions

DIRECTIONS = ("in", "out", "inout")
COMPLETIONS = ("one", "all", "any", "some")
FUNCTION_FLAGS = ("large", "local", "persistent", "wildcard", "receives", "asked", "removed", "deprecated")
# Those that may name a parameter, and those that must.
FUNCTION_OF = ("collective", "begins", "ends")
FUNCTION_NAMES = ("starts", "aborts", "switches")
PARAM_FLAGS = ("null", "frees", "allocates", "ref", "late", "machine")
PARAM_VALUES = ("at", "notat", "readat", "unless", "if", "sentinel", "enum", "flags", "as", "only", "reads")


@dataclass
class Table:
    declared: list[Function]  # as written: with the parameters that only the large-count form has
    constants: Constants
    functions: list[Function]  # every form, by id


def split_words(text: str, place: Place) -> list[str]:
    """Splits at spaces outside brackets."""
    words, word, depth = [], "", 0
    for char in text + " ":
        depth += (char in "([") - (char in ")]")
        if depth < 0:
            raise place.error(f"closing bracket too many in '{text.strip()}'")
        if char.isspace() and depth == 0:
            if word:
                words.append(word)
            word = ""
        else:
            word += char
    if depth:
        raise place.error(f"bracket not closed in '{text.strip()}'")
    return words


def read_expression(text: str, place: Place) -> Expression:
    try:
        return parse_expression(text)
    except ExpressionError as error:
        raise place.error(f"length '{text}': {error}", "numbers, names, A*B, A+B, min(A, B), f(PARAMETER)") from None


def parse_shape(word: str, kind: str, place: Place) -> Shape:
    parts = [part.strip() for part in re.split(r",(?![^(]*\))", word[1:-1])]
    sizes = (2, 3) if kind == "buffer" else (1,)
    if kind not in ("buffer", "memory", "baseptr") or len(parts) not in sizes:
        accepted = "buffer (COUNT, DATATYPE), buffer (COUNTS, DISPLS, DATATYPE), memory (SIZE), baseptr (SIZE)"
        raise place.error(f"'{kind} {word}' does not name a buffer's content", accepted)
    count = read_expression(parts[0], place)
    if kind != "buffer":
        return Shape(count, None, None)
    return Shape(count, parts[1] if len(parts) == 3 else None, parts[-1])


def parse_param(text: str, place: Place) -> Param:
    words = split_words(text, place)
    if len(words) < 2 or not re.fullmatch(r"\w+", words[0]):
        raise place.error(f"'{text.strip()}' is no parameter", "NAME KIND[LENGTH] [DIRECTION] [(...)] [ATTRIBUTE...]")
    match = re.fullmatch(r"([\w.]+)(?:\((\w+)\))?(?:\[(.*)\])?", words[1])
    if not match or match[1] not in KINDS:
        raise place.error(f"kind '{words[1]}' of {words[0]} is not known", " ".join(KINDS))
    kind, rank_of, length = match.groups()
    if rank_of and kind != "rank":
        raise place.error(f"'{words[1]}': only rank is in something", "rank(PARAMETER)")
    values = {"rank_of": rank_of, "length": read_expression(length, place) if length is not None else None}
    for word in words[2:]:
        key, _, value = word.partition("=")
        if word in DIRECTIONS:
            values["direction"] = word
        elif word.startswith("("):
            values["shape"] = parse_shape(word, kind, place)
        elif word in PARAM_FLAGS:
            values[word] = True
        elif key == "sentinel" and value:
            values["sentinels"] = tuple(value.split("|"))
        elif key == "as" and value:
            values["types"] = tuple(value.split("/"))
        elif key == "only" and value == "large":
            values["only_large"] = True
        elif key in PARAM_VALUES and value and key != "only":
            values["valid_if" if key == "if" else key] = value
        else:
            accepted = " ".join((*DIRECTIONS, "(...)", *PARAM_FLAGS, *(v + "=" for v in PARAM_VALUES)))
            raise place.error(f"attribute '{word}' of {words[0]} is not known", accepted)
    return Param(words[0], kind, place, **values)


def parse_head(text: str, chapter: str, place: Place) -> Function:
    match = re.fullmatch(r"(MPI_[A-Z]\w*)\s*=\s*(\d+)(\s.*)?", text.strip())
    if not match:
        raise place.error(f"'{text.strip()}' is no function", "NAME = ID [ATTRIBUTE...]")
    values = {}
    for word in split_words(match[3] or "", place):
        key, _, value = word.partition("=")
        argument = re.fullmatch(rf"({'|'.join((*FUNCTION_OF, *FUNCTION_NAMES))})\(([\w, ]+)\)", word)
        if argument:
            names = tuple(name.strip() for name in argument[2].split(","))
            values[argument[1]] = names if argument[1] == "switches" else argument[2]
        elif word in FUNCTION_OF:
            values[word] = ""
        elif word in FUNCTION_FLAGS:
            values[word] = True
        elif key == "completes" and (parts := value.split(","))[0] in COMPLETIONS and parts[1:] in ([], ["test"]):
            values |= {"completes": parts[0], "completes_test": len(parts) == 2}
        elif key == "since" and re.fullmatch(r"\d+\.\d+", value):
            values["since"] = value
        else:
            others = (*FUNCTION_OF, *(f"{name}(X)" for name in (*FUNCTION_OF, *FUNCTION_NAMES)))
            accepted = " ".join((*FUNCTION_FLAGS, *others, "completes=one|all|any|some[,test] since=N.N"))
            raise place.error(f"attribute '{word}' of {match[1]} is not known", accepted)
    return Function(match[1], int(match[2]), chapter, place, **values)


def lines_of(text: str, file: str):
    """Lines without comments and empty ones: place, whether indented, text."""
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.split("#", 1)[0].rstrip()
        if line:
            yield Place(file, number), line[0].isspace(), line.strip()


def parse_functions(text: str, file: str) -> list[Function]:
    functions: list[tuple[Function, list[Param]]] = []
    chapter = Path(file).stem
    for place, indented, line in lines_of(text, file):
        if not indented:
            functions.append((parse_head(line, chapter, place), []))
        elif not functions:
            raise place.error(f"parameter '{line}' before any function", "NAME = ID [ATTRIBUTE...] in column 0")
        else:
            functions[-1][1].append(parse_param(line, place))
    return [replace(function, params=tuple(params)) for function, params in functions]


def parse_constants(text: str, file: str) -> Constants:
    constants = Constants()
    groups = {"handle": constants.handles, "enum": constants.enums, "flags": constants.flags}
    names: list[str] | None = None
    for place, indented, line in lines_of(text, file):
        if not indented:
            match = re.fullmatch(r"(handle|enum|flags)\s+([\w.]+):(.*)", line)
            if not match or match[2] in groups[match[1]]:
                raise place.error(f"'{line}' is no new group", "handle KIND: ..., enum NAME: ..., flags NAME: ...")
            if match[1] == "handle" and match[2] not in KINDS:
                raise place.error(f"kind '{match[2]}' is not known", " ".join((*HANDLES, "keyval")))
            names = groups[match[1]].setdefault(match[2], [])
            line = match[3]
        if names is None:
            raise place.error(f"'{line}' before any group", "handle KIND: ..., enum NAME: ..., flags NAME: ...")
        for name in line.split():
            if not re.fullmatch(r"MPI[XR]?_\w+", name) or name in names:
                raise place.error(f"constant '{name}' is misspelt or there already", "MPI_NAME once in a group")
            names.append(name)
    return constants


def load(directory: Path) -> Table:
    """Reads and checks the table; raises TableError at the first thing that does not fit."""
    declared: list[Function] = []
    constants = Constants()
    for path in sorted(directory.glob("*.api")):
        if path.stem == "constants":
            constants = parse_constants(path.read_text(), str(path))
        else:
            declared += parse_functions(path.read_text(), str(path))
    declared = [with_defaults(function, constants) for function in declared]
    check_functions(declared, constants)
    functions = sorted((form for f in declared for form in f.forms()), key=lambda f: f.id)
    return Table(declared, constants, functions)


def with_defaults(function: Function, constants: Constants) -> Function:
    """Fills in what the language leaves unsaid."""
    params = []
    for p in function.params:
        sentinels = p.sentinels
        if p.kind == "buffer":
            sentinels = (*sentinels, "MPI_BOTTOM")
        elif p.kind == "status" and p.direction == "out":
            sentinels = (*sentinels, "MPI_STATUSES_IGNORE" if p.is_array else "MPI_STATUS_IGNORE")
        enum = p.enum or (p.kind if p.kind in constants.enums and not p.flags else None)
        params.append(replace(p, sentinels=sentinels, enum=enum, machine=p.machine or p.kind == "address"))
    collective = function.collective
    if collective == "":
        over = next((p.name for p in params if p.kind in ("comm", "win", "file")), None)
        if not over:
            raise function.place.error(f"{function.name}: nothing to be collective over", "collective(PARAMETER)")
        collective = over
    receives = function.receives or function.wildcard
    return replace(function, params=tuple(params), collective=collective, receives=receives)
