"""Writes a C program with large functions (PROGRAM), and the lines that its tree must have (EXPECTED).

    large_functions.py PROGRAM EXPECTED

many() has more events than a byte can number. ways() has more paths than 32 bits can number, with each arm at its own passes.
main() has both in one loop. In a loop of alike() the same call comes at another event than in the rounds before; in one of these loops,
the numbers of the two events differ by 256. Each call counts by itself: no two neighbouring calls have the same function or count.
"""

import sys

ROUNDS, EVENTS, BRANCHES, MIXED = 12, 600, 40, 300
EARLY, FILLED = 8, range(248, 257)
CALLS = ["MPI_Barrier(MPI_COMM_SELF)", "MPI_Comm_rank(MPI_COMM_SELF, &Value)", "MPI_Comm_size(MPI_COMM_SELF, &Value)"]

program = ["#include <mpi.h>", "static int Value;"]
expected = []


def call(place, text):
    program.append(text + CALLS[place % len(CALLS)] + ";")
    return f"{CALLS[place % len(CALLS)].split('(')[0]} large.c:{len(program)}"


def taken(place, round):
    """Bits of a number that differs in all of its 40 bits from round to round."""
    return (round * 0x9E3779B97F) >> place & 1


def branch(place):
    program.append(f"if (Bits >> {place} & 1)")
    line = len(program)
    calls = call(place, "  ")
    passes = sum(taken(place, round) for round in range(ROUNDS))
    if passes:
        expected.append(f"{passes} branch large.c:{line} true")
        expected.append(f"{passes} {calls}")


program.append("static void many(void) {")
for place in range(EVENTS):
    expected.append(f"{ROUNDS} {call(place, '')}")
program.append("}")

program.append("static void ways(unsigned long long Bits) {")
for place in range(BRANCHES):
    branch(place)
program.append("}")

last = []
program.append("static void alike(unsigned I) {")
for between in FILLED:
    program.append(f"for (unsigned J = 0; J < {ROUNDS}; J++)")
    program.append(f"if (J < {EARLY}) {{")
    last.append(f"{EARLY} branch large.c:{len(program)} true")
    last.append(f"{EARLY} {call(0, '')}")
    program.append("} else if (I) {")
    for place in range(between):
        call(place, "")
    program.append("} else {")
    last.append(f"{ROUNDS - EARLY} {call(0, '')}")
    program.append("}")
program.append("}")

program += ["int main(int C, char **V) {", "MPI_Init(&C, &V);"]
program.append(f"for (unsigned long long I = 0; I < {ROUNDS}; I++) {{")
program += ["unsigned long long Bits = I * 0x9E3779B97F;", "many();", "ways(Bits);", "}"]
program.append(f"for (unsigned long long I = 0; I < {ROUNDS}; I++) {{")
program.append("unsigned long long Bits = I * 0x9E3779B97F;")
for place in range(MIXED):
    expected.append(f"{ROUNDS} {call(place, '')}")
for place in range(BRANCHES):
    branch(place)
program += ["}", "alike(C > 9);", "MPI_Finalize();", "return 0;", "}"]

open(sys.argv[1], "w").write("\n".join(program) + "\n")
open(sys.argv[2], "w").write("\n".join(expected + last) + "\n")
