"""Writes a random Fortran program of three source files whose procedures make calls of MPI.

    python3 random_fortran.py --seed N --procedures N [--openmp] --output DIR

Every program ends: a global amount of fuel is used up by each iteration and call.
"""

import argparse
import random
from pathlib import Path

BASE = """module base
  implicit none
  integer :: fuel = 1000, seed = 1
  integer, volatile :: sink = 0
contains
  integer function rnd(n)
    integer, intent(in) :: n
    seed = mod(seed * 1103 + 12345, 65536)
    rnd = mod(seed / 16, n)
  end function
  logical function burn()
    fuel = fuel - 1
    burn = fuel > 0
  end function
end module
"""
TYPES = """  type :: plain
    integer :: value = 0
  contains
    procedure :: go => go_plain
  end type
  type, extends(plain) :: other
  contains
    procedure :: go => go_other
  end type
  interface either
    procedure :: by_number, by_word
  end interface
"""
MAIN = """program main
  use work
  use base
  use mpi
  implicit none
  integer :: ierr, k
  character(8) :: word
  call MPI_Init(ierr)
  call get_command_argument(1, word)
  read (word, *) seed
  do k = 1, 20
    fuel = 400
    if (mod(k, 2) == 0) then
      call s0(6, k)
    else
      call s1(7, k)
    end if
  end do
  call MPI_Finalize(ierr)
end program
"""
FIRST = "if (d <= 0 .or. .not. burn()) return"


class Writer:
    def __init__(self, options):
        self.random = random.Random(options.seed)
        self.openmp = options.openmp
        self.names = [f"s{i}" for i in range(options.procedures)]
        self.closed = 0  # depth of what cannot be left but at its end
        self.inner = []  # procedures inside of the one at hand
        self.loops = 0  # named ones so far
        self.label = 0
        self.lines = ["module work", "  use base", "  use mpi", "  implicit none", *TYPES.splitlines(), "contains"]
        self.indent = 1

    def put(self, text):
        self.lines.append("  " * self.indent + text)

    def choice(self, *of):
        return self.random.choice(of)

    def condition(self):
        return self.choice("rnd(2) == 0", "rnd(3) == 0", "mod(x, 2) == 1", "rnd(2) == 0 .and. rnd(2) == 0", "d > 2", ".not. rnd(4) == 0")

    def block(self, count, depth, loops):
        self.indent += 1
        for _ in range(count):
            self.statement(depth, loops)
        self.indent -= 1

    def body(self, depth, loops):
        self.block(self.random.randint(1, 3), depth + 1, loops)

    def statement(self, depth, loops):
        deep = depth >= 4
        # Recursion by computed calls inside of regions has no names by which to tell where it is.
        computed = 0 if self.openmp else 0.5
        weights = {
            "mpi": 6, "compute": 2, "call": 3, "pointer": computed, "function": 0.7, "bound": computed, "generic": 0.4,
            "argument": computed if self.inner else 0, "branch": 0 if deep else 5, "loop": 0 if deep else 3,
            "select": 0 if deep else 1, "leave": 1, "ret": 0.4, "quiet_loop": 0.5, "scope": 0 if deep else 0.7,
            "jump": 0 if deep else 0.4, "construct": 2 if self.openmp and not deep else 0,
        }  # fmt: skip
        kind = self.random.choices(list(weights), list(weights.values()))[0]
        if self.closed and kind in ("ret", "jump"):
            kind = "compute"
        getattr(self, "put_" + kind)(depth, loops)

    def put_mpi(self, depth=0, loops=0):
        self.put(self.choice("call MPI_Barrier(MPI_COMM_SELF, ierr)", "call MPI_Comm_size(MPI_COMM_SELF, n, ierr)", "call MPI_Comm_rank(MPI_COMM_SELF, n, ierr)"))

    def put_compute(self, depth, loops):
        self.put(f"if ({self.condition()}) x = x + 3")

    def put_call(self, depth, loops):
        if self.inner and self.random.random() < 0.3:
            self.put(f"call {self.random.choice(self.inner)}(d - 1, x)")
        else:
            self.put(f"call {self.random.choice(self.names)}(d - 1, x + {self.random.randint(0, 3)})")
        self.put("x = x + 1")  # so that no call is the last thing

    def put_pointer(self, depth, loops):
        self.put(f"p => {self.random.choice(self.names)}")
        self.put("call p(d - 1, x)")
        self.put("x = x + 1")

    def put_function(self, depth, loops):
        self.put(f"x = x + g{self.random.randint(0, 1)}(d - 1, x)")

    def put_bound(self, depth, loops):
        self.put(f"call dispatch({self.choice('plain', 'other')}(x), d - 1)")
        self.put("x = x + 1")

    def put_generic(self, depth, loops):
        self.put(f"call either({self.choice('x', repr('word'))}, d - 1)")
        self.put("x = x + 1")

    def put_argument(self, depth, loops):
        self.put(f"call apply({self.random.choice(self.inner)}, d - 1, x)")
        self.put("x = x + 1")

    def put_branch(self, depth, loops):
        self.put(f"if ({self.condition()}) then")
        self.body(depth, loops)
        if self.random.random() < 0.3:
            self.put(f"else if ({self.condition()}) then")
            self.body(depth, loops)
        if self.random.random() < 0.5:
            self.put("else")
            self.body(depth, loops)
        self.put("end if")

    def put_loop(self, depth, loops):
        kind = self.choice("do", "while", "endless", "named")
        self.loops += 1
        name = f"l{self.loops}"
        count = f"i{depth}"
        head = {
            "do": f"do {count} = 1, {self.choice('rnd(4)', '3', 'mod(abs(x), 4)', '2 + rnd(3)')}",
            "while": "do while (rnd(3) /= 0 .and. burn())",
            "named": f"{name}: do {count} = 1, 3",
            "endless": "do",
        }
        self.put(head[kind])
        self.put("  if (.not. burn()) exit")
        if kind == "endless":
            self.put("  if (rnd(4) == 0) exit")
        if kind == "named" and self.random.random() < 0.5:
            self.put(f"  if (rnd(3) == 0) cycle {name}")
        self.body(depth, loops + 1)
        self.put(f"end do {name}" if kind == "named" else "end do")

    def put_select(self, depth, loops):
        self.put(f"select case (rnd({self.random.randint(2, 5)}))")
        for case in range(self.random.randint(1, 4)):
            self.put(f"case ({case})")
            self.body(depth, loops)
        if self.random.random() < 0.5:
            self.put("case default")
            self.body(depth, loops)
        self.put("end select")

    def put_leave(self, depth, loops):
        if loops:
            self.put(f"if ({self.condition()}) {self.choice('cycle', 'exit')}")
        else:
            self.put_mpi()

    def put_ret(self, depth, loops):
        self.put(f"if ({self.condition()}) return")

    def put_quiet_loop(self, depth, loops):
        self.put(f"do i{depth} = 1, 3")
        self.put(f"  if (mod(x, 5) == i{depth}) exit")
        self.put("  x = x + 1")
        self.put("end do")

    def put_scope(self, depth, loops):
        if self.random.random() < 0.5:
            self.put("associate (z => x + 1)")
            self.body(depth, loops)
            self.put("end associate")
            return
        self.put("block")
        self.put("  integer :: z")
        self.put("  z = x")
        self.body(depth, loops)
        self.put("  x = z + 1")
        self.put("end block")

    def put_jump(self, depth, loops):
        self.label += 10
        label = self.label
        self.put(f"if ({self.condition()}) goto {label}")
        self.body(depth, loops)
        self.lines.append(f"{label} x = x + 1")

    def put_construct(self, depth, loops):
        kind = self.choice("parallel", "do", "single", "master", "task")
        one = "parallel num_threads(1)"
        if kind == "do":
            begin, end = ["!$omp parallel do num_threads(1) firstprivate(x)", f"do o{depth} = 1, 2"], ["end do", "!$omp end parallel do"]
        else:
            inside = {"parallel": [], "task": ["single", "task if(.false.) shared(x)"]}.get(kind, [kind])
            begin = [f"!$omp {word}" for word in [one, *inside]]
            end = [f"!$omp end {word.split()[0]}" for word in [*reversed(inside), one]]
        for line in begin:
            self.put(line)
        self.closed += 1
        self.body(depth, 0)
        self.closed -= 1
        for line in end:
            self.put(line)

    def begin(self, head):
        self.label = 0
        self.put(head)
        self.put("  integer, value :: d, x")
        self.put("  integer :: n, ierr, " + ", ".join(f"{v}{i}" for v in "io" for i in range(6)))
        self.put("  procedure(s0), pointer :: p")

    def procedure(self, name, depth=0, has_inner=True):
        self.begin(f"recursive subroutine {name}(d, x)")
        self.put(f"  {FIRST}")
        self.inner = [f"{name}in{i}" for i in range(self.choice(0, 0, 1, 2))] if has_inner else []
        self.block(self.random.randint(2, 6 - 2 * depth), depth, 0)
        self.put("  sink = sink + x")
        inner, self.inner = self.inner, []
        if inner:
            self.put("contains")
            self.indent += 1
            for other in inner:
                self.procedure(other, 1, False)
            self.indent -= 1
        self.put(f"end subroutine {name}")

    def function(self, name):
        self.begin(f"recursive function {name}(d, x) result(y)")
        self.put("  integer :: y")
        self.put("  y = 1")
        self.put(f"  {FIRST}")
        self.block(self.random.randint(1, 4), 1, 0)
        self.put("  y = x")
        self.put(f"end function {name}")

    def helpers(self):
        """What is called by way of a type, a generic name, or an argument."""
        for kind in ("plain", "other"):
            self.put(f"recursive subroutine go_{kind}(this, d)")
            self.put(f"  class({kind}), intent(in) :: this")
            self.put("  integer, intent(in) :: d")
            self.put("  integer :: n, ierr")
            self.put(f"  {FIRST}")
            self.put_mpi()
            self.put(f"  call {self.random.choice(self.names)}(d - 1, this%value)")
            self.put("  sink = sink + 1")
            self.put(f"end subroutine go_{kind}")
        for line in f"""recursive subroutine dispatch(object, d)
  class(plain), intent(in) :: object
  integer, intent(in) :: d
  call object%go(d)
  sink = sink + 1
end subroutine dispatch
recursive subroutine by_number(x, d)
  integer, intent(in) :: x, d
  {FIRST}
  call {self.random.choice(self.names)}(d - 1, x)
  sink = sink + 1
end subroutine by_number
recursive subroutine by_word(x, d)
  character(*), intent(in) :: x
  integer, intent(in) :: d
  integer :: ierr
  {FIRST}
  call MPI_Barrier(MPI_COMM_SELF, ierr)
  sink = sink + len(x)
end subroutine by_word
recursive subroutine apply(what, d, x)
  procedure(s0) :: what
  integer, intent(in) :: d, x
  {FIRST}
  call what(d - 1, x)
  sink = sink + 1
end subroutine apply""".splitlines():
            self.put(line)

    def write(self, folder):
        for name in self.names:
            self.procedure(name)
        self.function("g0")
        self.function("g1")
        self.helpers()
        self.lines.append("end module")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "base.f90").write_text(BASE)
        (folder / "work.f90").write_text("\n".join(self.lines) + "\n")
        (folder / "main.f90").write_text(MAIN)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--procedures", type=int, required=True)
    parser.add_argument("--openmp", action="store_true", help="also constructs of OpenMP")
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    Writer(options).write(options.output)
