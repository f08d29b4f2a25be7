#!/usr/bin/env python3
"""Tests of the function table's reader, of the forms and C types that follow, and of the comparison with a header."""

import tempfile
import unittest
from pathlib import Path

import check
from emit_wrappers import Wrapper
from expressions import Binary, Call, Name, Number, names_in, parse_expression
from function import TableError
from header import parse_header
from model import load
from relations import exceptions

CONSTANTS = "enum rank: MPI_ANY_SOURCE\n  MPI_ROOT\nenum index: MPI_UNDEFINED\nflags assert: MPI_MODE_NOCHECK\n"
SEND = """
MPI_Send = 1 large  # a comment
  buf       buffer in (count, datatype)
  count     count
  datatype  datatype
  dest      rank(comm)
  tag       tag
  comm      comm
"""
GATHERV = """
MPI_Gatherv = 2 large collective
  sendbuf     buffer in (sendcount, sendtype) sentinel=MPI_IN_PLACE
  sendcount   count unless=sendbuf
  sendtype    datatype unless=sendbuf
  recvbuf     buffer out (recvcounts, displs, recvtype) at=root
  recvcounts  count[size(comm)] at=root
  displs      displ[size(comm)] at=root
  recvtype    datatype at=root
  root        rank(comm)
  comm        comm
"""


def load_text(text, constants=CONSTANTS):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "constants.api").write_text(constants)
        Path(folder, "some.api").write_text(text)
        return load(Path(folder))


def types_of(function):
    return [param.c_type for param in function.params]


def params_of(*lines, head="MPI_X = 1"):
    table = load_text("\n  ".join([head, *lines]))
    return {param.name: param for param in table.functions[0].params}


class Parsing(unittest.TestCase):
    def test_function_and_parameters(self):
        function = load_text(SEND).functions[0]
        self.assertEqual((function.name, function.id, function.chapter), ("MPI_Send", 1, "some"))
        self.assertEqual([p.name for p in function.params], ["buf", "count", "datatype", "dest", "tag", "comm"])
        self.assertEqual(function.param("dest").rank_of, "comm")
        self.assertEqual(function.param("buf").shape.count, Name("count"))
        self.assertEqual(function.param("buf").shape.datatype, "datatype")

    def test_unsaid_things_are_filled_in(self):
        function = load_text(GATHERV).functions[0]
        self.assertEqual(function.collective, "comm")
        self.assertEqual(function.param("sendbuf").sentinels, ("MPI_IN_PLACE", "MPI_BOTTOM"))
        self.assertEqual(function.param("root").enum, "rank")
        params = params_of("n int", "one status out", "all status[n] out", "given status")
        self.assertEqual(params["one"].sentinels, ("MPI_STATUS_IGNORE",))
        self.assertEqual(params["all"].sentinels, ("MPI_STATUSES_IGNORE",))
        self.assertEqual(params["given"].sentinels, ())

    def test_content_of_a_v_form(self):
        shape = load_text(GATHERV).functions[0].param("recvbuf").shape
        self.assertEqual((shape.count, shape.displs, shape.datatype), (Name("recvcounts"), "displs", "recvtype"))

    def test_attributes_of_functions(self):
        head = "MPI_X = 1 completes=some,test since=4.1"
        function = load_text(f"{head}\n  n int\n  r request[n] inout").functions[0]
        self.assertEqual((function.completes, function.completes_test, function.since), ("some", True, "4.1"))

    def test_constants_continue_on_indented_lines(self):
        self.assertEqual(load_text(SEND).constants.enums["rank"], ["MPI_ANY_SOURCE", "MPI_ROOT"])

    def test_lengths(self):
        self.assertEqual(parse_expression("n*3"), Binary("*", Name("n"), Number(3)))
        inner = Call("ndims", (Name("comm"),))
        self.assertEqual(parse_expression("min(maxdims, ndims(comm))"), Call("min", (Name("maxdims"), inner)))
        self.assertEqual(parse_expression("a+b*2").operator, "+")
        self.assertEqual(names_in(parse_expression("sum(degrees)+n")), ["degrees", "n"])


class Wrappers(unittest.TestCase):
    """What the generator does for a function follows from words of the table, not from its name."""

    def wrapper(self, text):
        return "\n".join(Wrapper(load_text(text).functions[0]).lines())

    def test_wildcards_are_the_last_rank_and_tag(self):
        text = "MPI_X = 1 wildcard\n  a rank(c)\n  b tag\n  s rank(c)\n  t tag\n  c comm\n  r request out"
        self.assertIn("(RequestReceives) | (s == MPI_ANY_SOURCE || t == MPI_ANY_TAG", self.wrapper(text))

    def test_requests_are_what_the_words_say(self):
        self.assertIn("RequestReceives)", self.wrapper("MPI_X = 1 receives\n  r request out"))
        self.assertNotIn("RequestReceives", self.wrapper("MPI_Irecv = 1\n  r request out"))
        self.assertIn("RequestTransfersFile)", self.wrapper("MPI_X = 1\n  f file\n  r request out"))
        self.assertIn("StatusOfFile", self.wrapper("MPI_X = 1\n  f file\n  s status out"))

    def test_memory_sessions_and_ends(self):
        window = self.wrapper("MPI_X = 1\n  n aint\n  p baseptr out (n) allocates\n  w win out")
        self.assertIn("objectMade(Kind::Win, *w, false); memoryHandedOut(*(void **)p, n, w);", window)
        self.assertIn("memoryTakenBack(m);", self.wrapper("MPI_X = 1\n  m memory frees"))
        begins = self.wrapper("MPI_X = 1 begins")
        self.assertLess(begins.index("initializing();"), begins.index("Real.MPI_X();"))
        self.assertIn("initialized();", begins)
        self.assertNotIn("initializing();", self.wrapper("MPI_X = 1 begins(s)\n  s session out"))
        self.assertIn("sessionEnded(Before_s);", self.wrapper("MPI_X = 1 ends(s)\n  s session inout frees"))
        for head, call in (("ends", "return finalize("), ("aborts(e)", "aborting(e);")):
            lines = self.wrapper(f"MPI_X = 1 {head}\n  e int")
            self.assertLess(lines.index("S.commit("), lines.index("return Real.MPI_X(e);"))
            self.assertIn(call, lines)
        self.assertIn("switchAfter(switchOf(k, v));", self.wrapper("MPI_X = 1 switches(k, v)\n  k string\n  v string"))
        self.assertIn("isBindingsOwn(Place.Return, 1)", self.wrapper("MPI_X = 1 asked"))


class Relations(unittest.TestCase):
    def exceptions(self, text):
        return exceptions(load_text(text).functions[0])

    def test_what_follows_is_not_said(self):
        self.assertFalse(any(self.exceptions(SEND)))
        self.assertFalse(any(self.exceptions(GATHERV)))

    def test_what_does_not_follow_is(self):
        text = SEND.replace("(count, datatype)", "(count*size(comm), datatype)")
        self.assertEqual(self.exceptions(text)[0], [("PerProcess", 0)])
        text = GATHERV.replace("recvtype) at=root", "recvtype)")
        self.assertEqual(self.exceptions(text)[3], [("Everywhere", 0)])
        self.assertEqual(self.exceptions(SEND.replace("rank(comm)", "rank"))[3], [("Group", 0)])
        self.assertEqual(self.exceptions("MPI_X = 1\n  c comm out")[0], [("Makes", 0)])
        self.assertEqual(self.exceptions("MPI_X = 1\n  i int\n  c comm out ref")[1], [("Finds", 0)])
        self.assertEqual(self.exceptions("MPI_X = 1 starts(r)\n  r request inout")[0], [("Starts", 0)])

    def test_what_no_trace_can_say_is_refused(self):
        for text, message in (
            (SEND.replace("(count, datatype)", "(count+count, datatype)"), "the extent of a buffer"),
            (SEND.replace("in (count", "inout (count").replace("datatype)", "datatype) readat=dest"), "no rank that"),
        ):
            with self.assertRaises(TableError) as caught:
                self.exceptions(text)
            self.assertIn(message, str(caught.exception))


class Errors(unittest.TestCase):
    def assert_error(self, text, message, constants=CONSTANTS):
        with self.assertRaises(TableError) as caught:
            load_text(text, constants)
        self.assertRegex(str(caught.exception), r"^\S+:\d+: ")
        self.assertIn(message, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))

    def test_place_and_accepted_values_are_told(self):
        text = "MPI_X = 1\n\n  a int\n  b integer"
        self.assert_error(text, "some.api:4: kind 'integer' of b is not known; accepted: count")

    def test_ids_and_names_are_unique(self):
        self.assert_error("MPI_X = 1\nMPI_Y = 1", "MPI_Y = 1 is there already: MPI_X at ")
        self.assert_error("MPI_X = 1\nMPI_X = 2", "is there already")
        self.assert_error("MPI_X = 1000", "out of range")
        self.assert_error("MPI_X = 1\n  a int\n  a int", "two parameters a")

    def test_what_a_line_refers_to_exists(self):
        self.assert_error("MPI_X = 1\n  a int[n]", "a length names 'n', which is no parameter")
        self.assert_error("MPI_X = 1\n  a rank(comm)", "'comm', which is no parameter")
        self.assert_error("MPI_X = 1\n  a int\n  b rank(a)", "of kind int; accepted: comm")
        self.assert_error("MPI_X = 1\n  a int[last(n)]\n  n int", "last names n; accepted: an array")
        self.assert_error("MPI_X = 1\n  a int[far(n)]\n  n int", "'far(...)' is not known; accepted: min(A, B)")
        self.assert_error("MPI_X = 1\n  a int out if=b\n  b int out", "if names b of kind int; accepted: flag")
        self.assert_error("MPI_X = 1\n  a int at=b\n  b rank", "a rank in no one group")
        self.assert_error("MPI_X = 1\n  a int unless=b\n  b buffer", "never MPI_IN_PLACE")
        self.assert_error("MPI_X = 1\n  b buffer (n, t)\n  n count\n  t comm", "of kind comm; accepted: datatype")
        self.assert_error("MPI_X = 1 starts(r)", "starts names 'r'")
        self.assert_error("MPI_X = 1 collective\n  a int", "nothing to be collective over")

    def test_words_are_known(self):
        self.assert_error("MPI_X = 1 quick", "attribute 'quick' of MPI_X is not known; accepted: large")
        self.assert_error("MPI_X = 1\n  a int maybe", "attribute 'maybe' of a is not known; accepted: in out inout")
        self.assert_error("MPI_X = 1\n  a int sentinel=MPI_NOWHERE", "sentinel MPI_NOWHERE is not known")
        self.assert_error("MPI_X = 1\n  a int enum=colour", "enum colour is not known; accepted: rank index")
        self.assert_error("MPI_X = 1\n  a comm out frees", "frees needs inout")
        self.assert_error("MPI_X = 1\n  a function", "needs its C type; accepted: as=CTYPE")
        self.assert_error("MPI_X = 1\n  a int only=large", "only=large, but MPI_X is not large")

    def test_syntax(self):
        self.assert_error("  a int", "before any function")
        self.assert_error("MPI_X 1", "is no function; accepted: NAME = ID")
        self.assert_error("MPI_X = 1\n  a int[n", "bracket not closed")
        self.assert_error("MPI_X = 1\n  a int[n+]\n  n int", "ends too early")
        self.assert_error("MPI_X = 1\n  a int (n, m)", "does not name a buffer's content")
        self.assert_error("MPI_X = 1", "is no new group; accepted: handle KIND", "enum a: MPI_A\nenum a: MPI_B")
        self.assert_error("MPI_X = 1", "misspelt or there already", "enum a: MPI_A MPI_A")


class Forms(unittest.TestCase):
    def test_large_form_has_its_own_name_and_id(self):
        plain, large = load_text(SEND).functions
        self.assertEqual((large.name, large.id, large.is_large_form), ("MPI_Send_c", 1001, True))
        self.assertEqual((plain.since, large.since), ("3.0", "4.0"))
        self.assertFalse(plain.is_large_form)

    def test_parameters_of_the_large_form_only(self):
        text = "MPI_X = 1 large\n  a int out\n  b count out only=large"
        plain, large = load_text(text).functions
        self.assertEqual([p.name for p in plain.params], ["a"])
        self.assertEqual([p.name for p in large.params], ["a", "b"])


class CTypes(unittest.TestCase):
    def test_counts_and_displacements_by_form(self):
        plain, large = load_text(GATHERV).functions
        rest = ["MPI_Datatype", "int", "MPI_Comm"]
        self.assertEqual(
            types_of(plain),
            ["const void*", "int", "MPI_Datatype", "void*", "const int*", "const int*", *rest],
        )
        self.assertEqual(
            types_of(large),
            ["const void*", "MPI_Count", "MPI_Datatype", "void*", "const MPI_Count*", "const MPI_Aint*", *rest],
        )

    def test_directions(self):
        lines = ("a int", "b int out", "c comm inout", "d status", "e status out", "f rank[a] out", "g info[a]")
        params = params_of(*lines)
        found = [param.c_type for param in params.values()]
        self.assertEqual(
            found, ["int", "int*", "MPI_Comm*", "const MPI_Status*", "MPI_Status*", "int*", "const MPI_Info*"]
        )

    def test_strings(self):
        lines = ("a string", "b string[n] out", "c strings", "d strings inout", "e strings[n]", "f stringss[n]")
        params = params_of("n int", *lines)
        found = [param.c_type for param in params.values()][1:]
        self.assertEqual(found, ["const char*", "char*", "char**", "char***", "char**", "char***"])

    def test_pointers(self):
        params = params_of("n bytes", "a memory (n)", "b baseptr out", "c pointer", "d pointer out", "e varargs")
        self.assertEqual([param.c_type for param in params.values()][1:], ["void*"] * 4 + ["..."])

    def test_own_types(self):
        lines = ("f function as=F*/F_c*", "n int", "a int[n*3] as=int[3]", "b aint out as=MPI_Aint/MPI_Count")
        text = "\n  ".join(("MPI_X = 1 large", *lines))
        plain, large = load_text(text).functions
        self.assertEqual(types_of(plain), ["F*", "int", "const int(*)[3]", "MPI_Aint*"])
        self.assertEqual(types_of(large), ["F_c*", "int", "const int(*)[3]", "MPI_Count*"])


class Headers(unittest.TestCase):
    TEXT = """
# 1 "mpi.h"
#define MPI_COMM_WORLD ((MPI_Comm)1)
#define MPI_UB THE_SYMBOL_WAS_REMOVED_IN_MPI30(MPI_UB)
#define MPI_Type_ub(...) THE_SYMBOL_WAS_REMOVED_IN_MPI30(x)
#define MPI_GONE 1
#undef MPI_GONE
typedef enum T { MPI_CART = 1, MPI_GRAPH = MPI_CART + 1 } T;
typedef void (MPI_Hook)(int, ...);
extern const int MPI_ARGV_NULL;
__attribute__((visibility("default"))) int MPI_Send(const void *buf, int count, MPI_Datatype datatype,
    int dest, int tag, MPI_Comm comm) __attribute__((__pointer_with_type_tag__(mpi,1,3)));
int MPI_Ranges(int ranges[][3], const int list[], char *argv[], char ***arg, MPI_Hook hook, ...);
static inline int MPI_Short(void) { return 0; }
double PMPI_Wtime(void);
int MPI_Hooked(void (*hook)(int, void *), const struct S *s, unsigned long, MPI_Comm *);
"""

    def setUp(self):
        self.header = parse_header(self.TEXT)

    def types(self, name):
        return [argument.type for argument in self.header.prototypes[name].arguments]

    def test_prototypes(self):
        self.assertEqual(self.types("MPI_Send")[:3], ["const void*", "int", "MPI_Datatype"])
        self.assertEqual([a.name for a in self.header.prototypes["MPI_Send"].arguments][3:], ["dest", "tag", "comm"])
        self.assertEqual(self.types("MPI_Short"), [])
        self.assertEqual(self.header.prototypes["PMPI_Wtime"].result, "double")
        self.assertNotIn("MPI_Hook", self.header.prototypes)

    def test_types(self):
        self.assertEqual(self.types("MPI_Ranges"), ["int(*)[3]", "const int*", "char**", "char***", "MPI_Hook", "..."])
        self.assertEqual(
            self.types("MPI_Hooked"), ["void(*)(int, void*)", "const struct S*", "unsigned long", "MPI_Comm*"]
        )

    def test_constants(self):
        for name in ("MPI_COMM_WORLD", "MPI_CART", "MPI_GRAPH", "MPI_ARGV_NULL"):
            self.assertTrue(self.header.has(name), name)
        for name in ("MPI_UB", "MPI_Type_ub", "MPI_GONE", "MPI_Send"):
            self.assertFalse(self.header.has(name), name)


class Comparison(unittest.TestCase):
    def problems(self, prototype, untraced=()):
        return check.compare_header(load_text(SEND), parse_header(prototype), dict.fromkeys(untraced, "why"))

    def test_agreement(self):
        for buffer in ("const void *b", "void *b"):  # older headers leave const out
            declaration = f"int MPI_Send({buffer}, int c, MPI_Datatype d, int e, int f, MPI_Comm g);"
            self.assertEqual(self.problems(declaration), [])

    def test_disagreement(self):
        found = self.problems("int MPI_Send(void *b, long c, MPI_Datatype d, int e, int f, MPI_Comm g);")
        self.assertEqual(found, ["MPI_Send: parameter 2, count: long in mpi.h, int in the table"])
        self.assertIn("1 parameters in mpi.h, 6 in the table", self.problems("int MPI_Send(int a);")[0])

    def test_array_in_the_header_only(self):
        table = load_text("MPI_X = 1\n  r request inout")
        self.assertEqual(check.compare_header(table, parse_header("int MPI_X(MPI_Request *r);"), {}), [])
        found = check.compare_header(table, parse_header("int MPI_X(MPI_Request r[]);"), {})
        self.assertEqual(found, ["MPI_X: parameter 1, r: an array in mpi.h, not in the table"])

    def test_unknown_function(self):
        self.assertEqual(len(self.problems("int MPI_New(int a);")), 1)
        self.assertEqual(self.problems("int MPI_New(int a);", ["MPI_N*"]), [])


class WholeTable(unittest.TestCase):
    def test_it_reads(self):
        table = load(check.DIRECTORY)
        self.assertGreater(len(table.functions), 600)
        self.assertTrue(check.read_untraced(check.DIRECTORY / "untraced.txt"))


if __name__ == "__main__":
    unittest.main()
