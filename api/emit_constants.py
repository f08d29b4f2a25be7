"""Generated lists of the constants that the header has: predefined handles, named values, sentinels."""

from function import SENTINELS, Constants
from header import Header
from relations import TRACE_KINDS


def emit_constants(constants: Constants, header: Header) -> str:
    lines = ['#include "pmpi/Constants.h"', "namespace pilgrim {", "void fillPredefined(PredefinedSink Add) {"]
    for kind, names in constants.handles.items():
        # MPI_T handles are pointers that change from version to version; only their null is worth a name.
        trace_kind = TRACE_KINDS.get(kind, "Tool")
        for code, name in enumerate(names):
            if header.has(name):
                lines.append(f'  Add(Kind::{trace_kind}, {-1 - code}, "{name}", rawHandle({name}));')
    lines += ["}", "const NamedValue NamedValues[] = {"]
    for group in (constants.enums, constants.flags):
        for key, names in group.items():
            lines += [f'    {{"{key}", {name}, "{name}"}},' for name in names if header.has(name)]
    # MPICH's attributes have another number in Fortran, which C's functions take, too.
    lines.append("#ifdef MPICH_VERSION")
    lines += [f'    {{"keyval", {name} + 1, "{name}+1"}},' for name in constants.enums["keyval"][1:] if header.has(name)]
    lines.append("#endif")
    # All MPI_T handles are of one kind; what a number below zero means is known by the parameter.
    for key, names in constants.handles.items():
        if key not in TRACE_KINDS:
            lines += [f'    {{"{key}", {-1 - code}, "{name}"}},' for code, name in enumerate(names) if header.has(name)]
    lines += ["};", "const unsigned NumNamedValues = sizeof NamedValues / sizeof *NamedValues;"]
    lines.append("const char *const SentinelNames[] = {")
    lines += [f'    "{name}",' for name in SENTINELS]
    lines += ["};", "const unsigned NumSentinels = sizeof SentinelNames / sizeof *SentinelNames;", "} // namespace pilgrim"]
    return "\n".join(lines) + "\n"
