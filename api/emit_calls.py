"""What makes calls again from a trace: how each parameter is passed (proxygen/CallTable.h), and the calls themselves
(proxygen/replay/MakeCall.h). A new function in the table needs no line anywhere else.
"""

from expressions import Name
from function import HANDLES, POINTERS, SENTINELS, STRINGS, Function, Param
from header import Header
from relations import recorded

# Classes of C types that an element of a parameter can have.
WIDE = ("MPI_Aint", "MPI_Count", "MPI_Offset")
CALLBACKS = {
    "MPI_User_function": "Reduction", "MPI_User_function_c": "ReductionLarge", "MPI_Copy_function": "CopyComm",
    "MPI_Comm_copy_attr_function": "CopyComm", "MPI_Type_copy_attr_function": "CopyType",
    "MPI_Win_copy_attr_function": "CopyWin", "MPI_Delete_function": "DeleteComm",
    "MPI_Comm_delete_attr_function": "DeleteComm", "MPI_Type_delete_attr_function": "DeleteType",
    "MPI_Win_delete_attr_function": "DeleteWin", "MPI_Comm_errhandler_function": "CommError",
    "MPI_Win_errhandler_function": "WinError", "MPI_File_errhandler_function": "FileError",
    "MPI_Grequest_query_function": "Query", "MPI_Grequest_free_function": "Free",
    "MPI_Grequest_cancel_function": "Cancel", "MPI_Datarep_conversion_function": "Conversion",
    "MPI_Datarep_conversion_function_c": "ConversionLarge", "MPI_Datarep_extent_function": "Extent",
}  # fmt: skip


def element(p: Param) -> str:
    """What an array has as elements, or an output points to."""
    if p.kind == "status":
        return "Status"
    if p.kind in HANDLES:
        return "Handle"
    if p.kind in POINTERS:
        return "Pointer"
    if p.kind in STRINGS:
        return "Char"
    return "Wide" if any(name in p.c_type for name in WIDE) else "Int"


def passing(p: Param) -> str:
    """How the argument comes about: the names of proxygen/CallTable.h."""
    if p.kind == "function":
        return "Function"
    if p.kind in ("buffer", "memory"):
        return "Address"
    if p.kind == "pointer":
        return "OutPointer" if p.is_written else "Pointer"
    if p.kind == "baseptr":
        return "OutAddress"
    if p.kind == "string":
        return "OutString" if p.is_written else "String"
    if p.kind in STRINGS:
        return "Strings" if p.kind == "strings" and not p.is_written else "OtherStrings"
    if p.kind == "status":
        return "Statuses" if p.is_array else {"in": "GivenStatus", "inout": "GivenStatus", "out": "Status"}[p.direction]
    if p.kind in HANDLES:
        if p.is_array:
            return {"in": "Handles", "out": "OutHandles", "inout": "InOutHandles"}[p.direction]
        return {"in": "Handle", "out": "OutHandle", "inout": "InOutHandle"}[p.direction]
    if p.is_array:
        return {"in": "Numbers", "out": "OutNumbers", "inout": "InOutNumbers"}[p.direction]
    return {"in": "Number", "out": "OutNumber", "inout": "InOutNumber"}[p.direction]


def callback(p: Param) -> str:
    return CALLBACKS.get(p.c_type.rstrip("*"), "Other") if p.kind == "function" else "None"


def most_characters(p: Param) -> str:
    """The constant that says how much a text may take that the call writes; where there is none, an argument does."""
    named = passing(p) == "OutString" and isinstance(p.length, Name) and p.length.name.startswith("MPI_MAX_")
    return f'"{p.length.name}"' if named else "nullptr"


def completion(f: Function) -> str:
    return f.completes.capitalize() if f.completes else "None"


def emit_call_table(functions: list[Function]) -> str:
    lines = ['#include "proxygen/CallTable.h"', "namespace pilgrim {"]
    rows = []
    for f in functions:
        params = recorded(f)
        for p in params:
            flags = [name for name, given in (("IsFreed", p.frees), ("MayBeKnown", p.ref), ("IsArray", p.is_array)) if given]
            mark = " | ".join(flags) or "0"
            rows.append(
                f'    {{"{p.name}", "{p.kind}", "{p.c_type}", Passing::{passing(p)}, Element::{element(p)},'
                f" Callback::{callback(p)}, {mark}, {most_characters(p)}}},"
            )
    lines += ["enum : uint8_t { IsFreed = ParamInfo::Freed, MayBeKnown = ParamInfo::Known, IsArray = ParamInfo::Array };"]
    lines += ["static const ParamInfo Params[] = {", *rows, "};", "const CallInfo CallTable[] = {"]
    at = 0
    for f in functions:
        count = len(recorded(f))
        test, persistent, local = ("true" if truth else "false" for truth in (f.completes_test, f.persistent, f.local))
        lines.append(f'    {{{f.id}, "{f.name}", "{f.chapter}", {{Params + {at}, {count}}}, Completes::{completion(f)}, {test}, {persistent}, {local}}},')
        at += count
    lines += ["};", "const unsigned NumCalls = sizeof CallTable / sizeof *CallTable;", "} // namespace pilgrim"]
    return "\n".join(lines) + "\n"


def emit_calls(functions: list[Function], header: Header) -> str:
    """functions: those that the header has."""
    lines = ['#include "proxygen/replay/MakeCall.h"', "namespace pilgrim {"]
    lines += ["bool makeCall(uint32_t Id, std::span<const Argument> A, int &Result) {", "  switch (Id) {"]
    for f in functions:
        arguments = ", ".join(f"A[{at}]" for at in range(len(recorded(f))))
        lines += [f"  case {f.id}:", f"    Result = {f.name}({arguments});", "    return true;"]
    lines += ["  }", "  return false;", "}", "const SentinelAddress SentinelAddresses[] = {"]
    lines += [f'    {{"{name}", reinterpret_cast<const void *>({name})}},' for name in SENTINELS if header.has(name)]
    lines += ["};", "const unsigned NumSentinelAddresses = sizeof SentinelAddresses / sizeof *SentinelAddresses;"]
    return "\n".join([*lines, "} // namespace pilgrim"]) + "\n"
