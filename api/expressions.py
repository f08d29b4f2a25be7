"""Expressions of lengths and counts in the function table: numbers, names, sums, products and functions of names.

Only the syntax; what a name stands for is validate.py's and the generator's affair.
"""

import re
from dataclasses import dataclass

TOKEN = re.compile(r"\s*(?:(\d+)|(\w+)|([-+*/(),]))")


class ExpressionError(Exception):
    pass


@dataclass(frozen=True)
class Number:
    value: int


@dataclass(frozen=True)
class Name:
    """A parameter or a named constant."""

    name: str


@dataclass(frozen=True)
class Call:
    """min(A, B), or a property of a parameter such as size(comm)."""

    function: str
    arguments: tuple["Expression", ...]


@dataclass(frozen=True)
class Binary:
    operator: str  # "+" or "*"
    left: "Expression"
    right: "Expression"


Expression = Number | Name | Call | Binary


def parse_expression(text: str) -> Expression:
    tokens = []
    at = 0
    while text[at:].strip():
        match = TOKEN.match(text, at)
        if not match:
            raise ExpressionError(f"'{text[at:].strip()}' is not understood")
        tokens.append(match[0].strip())
        at = match.end()
    result, rest = _sum(tokens)
    if rest:
        raise ExpressionError(f"'{rest[0]}' is not expected")
    return result


def names_in(expression: Expression) -> list[str]:
    """Every name, arguments of functions included."""
    match expression:
        case Name(name):
            return [name]
        case Call(_, arguments):
            return [name for argument in arguments for name in names_in(argument)]
        case Binary(_, left, right):
            return names_in(left) + names_in(right)
    return []


def _sum(tokens):
    left, tokens = _product(tokens)
    while tokens and tokens[0] == "+":
        right, tokens = _product(tokens[1:])
        left = Binary("+", left, right)
    return left, tokens


def _product(tokens):
    left, tokens = _operand(tokens)
    while tokens and tokens[0] == "*":
        right, tokens = _operand(tokens[1:])
        left = Binary("*", left, right)
    return left, tokens


def _operand(tokens):
    if not tokens:
        raise ExpressionError("ends too early")
    token, rest = tokens[0], tokens[1:]
    if token.isdigit():
        return Number(int(token)), rest
    if not re.fullmatch(r"\w+", token):
        raise ExpressionError(f"'{token}' is not expected")
    if rest[:1] != ["("]:
        return Name(token), rest
    arguments = []
    while True:
        argument, rest = _sum(rest[1:])
        arguments.append(argument)
        if rest[:1] != [","]:
            break
    if rest[:1] != [")"]:
        raise ExpressionError(f"'{token}(' is not closed")
    return Call(token, tuple(arguments)), rest[1:]
