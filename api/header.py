"""What an installed mpi.h declares: prototypes of MPI_ and PMPI_ functions, and the names of its constants.

The header goes through the C preprocessor, so what counts is what a program sees with that compiler command. This is no
C parser: it reads declarations at file scope, well enough for the headers of MPICH, Open MPI and their relatives.

Types are in a normal form: single spaces, arrays as pointers (`int[][3]` is `int(*)[3]`), const only before the pointee
of a pointer, `...` for varargs, a parameter of function type as it stands.
"""

import re
import subprocess
from dataclasses import dataclass

ATTRIBUTE = re.compile(r"\b(?:__attribute__|__attribute|__declspec|__asm__|__asm|asm|_Alignas)\s*(?=\()")
NOISE = re.compile(r"\b(?:extern|static|(?:__)?inline(?:__)?|__extension__|(?:__)?restrict(?:__)?)\b")
FUNCTION = re.compile(r"(?P<result>[\w\s*]+?[\s*])(?P<name>P?MPIX?_\w+)\s*\((?P<params>.*)\)", re.S)
CONSTANT = re.compile(r"\bMPI[XR]?_\w+\b")
BASE_WORDS = {"void", "char", "short", "int", "long", "float", "double", "signed", "unsigned"}
TAGGED = {"struct", "enum", "union"}


class HeaderError(Exception):
    """One line: why there is nothing to read."""


@dataclass(frozen=True)
class Argument:
    name: str
    type: str
    is_array: bool = False  # declared with []; the type has a pointer


@dataclass(frozen=True)
class Prototype:
    name: str
    result: str
    arguments: tuple[Argument, ...]


@dataclass(frozen=True)
class Header:
    prototypes: dict[str, Prototype]
    names: frozenset[str]  # constants: macros, enumerators, variables

    def has(self, constant: str) -> bool:
        return constant in self.names


def read_header(compiler: list[str], source: str = "#include <mpi.h>\n") -> Header:
    """compiler: the words of a C compiler's command, such as mpicc, or cc with -I."""
    return parse_header(preprocessed(compiler, source))


def preprocessed(compiler: list[str], source: str = "#include <mpi.h>\n") -> str:
    """The header's text with its macros' definitions."""
    command = [*compiler, "-E", "-dD", "-x", "c", "-"]
    try:
        done = subprocess.run(command, input=source, capture_output=True, text=True)
    except OSError as error:
        raise HeaderError(f"{command[0]}: {error.strerror}") from None
    if done.returncode:
        why = next((line for line in done.stderr.splitlines() if "error" in line), f"exit code {done.returncode}")
        raise HeaderError(f"{' '.join(command)}: {why}")
    return done.stdout


def parse_header(text: str) -> Header:
    macros: set[str] = set()
    lines = []
    for line in text.splitlines():
        if not line.startswith("#"):
            lines.append(line)
        elif match := re.match(r"#define (MPI[XR]?_\w+)(?!\w|\()(.*)", line):
            # Open MPI keeps the names of what MPI-3.0 removed as macros that stop the compilation.
            if "_WAS_REMOVED_" not in match[2]:
                macros.add(match[1])
        elif match := re.match(r"#undef (\w+)", line):
            macros.discard(match[1])
    prototypes: dict[str, Prototype] = {}
    names = set(macros)
    for declaration, enumerators in declarations(strip_attributes("\n".join(lines))):
        names.update(enumerators)
        if declaration.lstrip().startswith("typedef"):
            continue
        if prototype := parse_prototype(declaration):
            prototypes.setdefault(prototype.name, prototype)
        elif "(" not in declaration:
            names.update(CONSTANT.findall(declaration)[-1:])
    return Header(prototypes, frozenset(names))


def strip_attributes(text: str) -> str:
    """Removes attributes with their bracketed arguments."""
    result, at = [], 0
    while match := ATTRIBUTE.search(text, at):
        result.append(text[at : match.start()])
        depth, at = 0, match.end()
        while at < len(text):
            depth += (text[at] == "(") - (text[at] == ")")
            at += 1
            if depth == 0:
                break
    return NOISE.sub(" ", "".join(result) + text[at:])


def declarations(text: str):
    """Declarations at file scope without what stands in braces, each with the enumerators found there."""
    depth, current, inside = 0, [], []
    for piece in re.split(r"([{};])", text):
        if piece == "{":
            depth += 1
        elif piece == "}":
            depth -= 1
            if depth == 0 and "".join(current).rstrip().endswith(")"):  # a function's body
                yield "".join(current), ()
                current, inside = [], []
        elif depth == 0 and piece == ";":
            declaration = "".join(current)
            enum = re.search(r"\benum\b", declaration)
            yield declaration, CONSTANT.findall(re.sub(r"=[^,]*", "", " ".join(inside))) if enum else ()
            current, inside = [], []
        else:
            (inside if depth else current).append(piece)


def parse_prototype(declaration: str) -> Prototype | None:
    match = FUNCTION.fullmatch(" ".join(declaration.split()))
    if not match:
        return None
    words = split_arguments(match["params"])
    arguments = () if words in ([], ["void"]) else tuple(map(parse_argument, words))
    return Prototype(match["name"], parse_argument(match["result"]).type, arguments)


def split_arguments(text: str) -> list[str]:
    parts, depth = [""], 0
    for char in text:
        depth += (char in "([") - (char in ")]")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts if part.strip()]


def parse_argument(text: str) -> Argument:
    text = " ".join(text.split())
    if text == "...":
        return Argument("", "...")
    if pointer := re.fullmatch(r"(.+?)\(\s*\*\s*(\w*)\s*\)\s*\((.*)\)", text):
        inner = ", ".join(parse_argument(word).type for word in split_arguments(pointer[3]))
        return Argument(pointer[2], f"{parse_argument(pointer[1]).type}(*)({inner})")
    text, *dimensions = re.split(r"(?=\[)", text)
    stars = text.count("*") + bool(dimensions)
    head, _, tail = text.partition("*")
    words = head.split()
    const = "const" in words
    words = [word for word in words if word not in ("const", "volatile")]
    name = re.sub(r"\b(?:const|volatile)\b|\*", " ", tail).strip()
    if not name and len(words) > 1 and words[-1] not in BASE_WORDS and words[-2] not in TAGGED:
        name = words.pop()
    rows = [dimension.replace(" ", "") for dimension in dimensions[1:]]
    suffix = "*" * (stars - 1) + "(*)" + "".join(rows) if rows else "*" * stars
    return Argument(name, ("const " if const and stars else "") + " ".join(words) + suffix, bool(dimensions))
