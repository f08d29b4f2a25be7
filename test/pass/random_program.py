"""Writes a random C or C++ program of three source files whose functions make calls of a fake MPI (CheckRuntime.cpp).

    python3 random_program.py --seed N --functions N --language c|c++ [--openmp] --output DIR

Functions of the last file make no such calls themselves. Every program ends: a global amount of fuel is used up by each iteration and call.
"""

import argparse
import random
from pathlib import Path

HEAD = """
#include <setjmp.h>
#include <stdlib.h>
#ifdef __cplusplus
#include <algorithm>
#include <functional>
#include <memory>
extern "C" {
#endif
int MPI_Send(int); int MPI_Recv(int);
extern int fuel; extern unsigned seed; extern jmp_buf *target;
#ifdef __cplusplus
}
struct Guard { ~Guard() { if (seed & 8) MPI_Send(0); } };
struct Quiet { ~Quiet() { seed += 3; } };
struct Virtual { virtual int go(int d, int x) = 0; virtual ~Virtual() = default; };
#endif
static unsigned rnd(unsigned n) { seed = seed * 1664525u + 1013904223u; return (seed >> 16) % n; }
"""


class Writer:
    def __init__(self, options):
        self.random = random.Random(options.seed)
        self.cxx = options.language == "c++"
        self.openmp = options.openmp
        self.closed = 0  # depth of what cannot be left but at its end
        self.names = [f"f{i}" for i in range(options.functions)]
        self.lines = []
        self.indent = 1

    def put(self, text):
        self.lines.append("  " * self.indent + text)

    def pick(self, **weights):
        return self.random.choices(list(weights), list(weights.values()))[0]

    def condition(self):
        return self.random.choice(
            ["rnd(2)", "rnd(3) == 0", "x & 1", "rnd(2) && rnd(2)", "rnd(3) == 0 || (x & 2)", "!rnd(4)", "d > 2"]
        )

    def function(self, name):
        self.random_labels = [f"L{i}" for i in range(self.random.choice([0, 0, 0, 1, 2]))]
        self.backward = set()
        self.pending = list(self.random_labels)
        self.jumps = self.random.random() < 0.08 and not self.cxx and not self.openmp
        self.computed = self.random.random() < 0.06 and bool(self.random_labels) and not self.cxx
        self.lines.append(f"int {name}(int d, {'volatile ' * self.jumps}int x) {{")
        self.put("if (d <= 0 || --fuel < 0) return 0;")
        self.put("volatile int r = 0;" if self.jumps else "int r = 0;")
        if not self.cxx:
            # Not where they are used: a goto may lead into the loop.
            counters = ", ".join(f"{v}{depth} = 0" for depth in range(5) for v in "in")
            self.put(f"{'volatile ' * self.jumps}int {counters};")
        if self.jumps:
            self.put("jmp_buf here; jmp_buf *volatile outer = target; volatile int again = 0;")
            self.put(f"if (setjmp(here)) {{ {'outside(1)' if self.passive else 'MPI_Recv(__LINE__)'}; again++; }}")
            self.put("if (again < 3) target = &here;")
        if self.computed:
            labels = ", ".join("&&" + label for label in self.random_labels)
            self.put(f"static void *const table[] = {{{labels}}};")
        self.block(self.random.randint(2, 6), 0, loops=0)
        while self.pending:
            self.put(f"{self.pending.pop(0)}:;")
            self.block(1, 2, loops=0)
        if self.jumps:
            self.put("target = outer;")
        if self.random.random() < 0.15 and not self.jumps:
            self.put(f"return {self.call()};")
        else:
            self.put("return r + x;")
        self.lines.append("}\n")

    def call(self):
        name = self.random.choice(self.names)
        return f"{name}(d - 1, x + {self.random.randint(0, 3)})"

    def block(self, count, depth, loops, switch=False):
        self.indent += 1
        for _ in range(count):
            self.statement(depth, loops, switch)
        self.indent -= 1

    def body(self, depth, loops, switch=False):
        self.block(self.random.randint(1, 3), depth + 1, loops, switch)

    def statement(self, depth, loops, switch):
        if self.pending and not self.closed and (depth == 0 or not self.cxx) and self.random.random() < (0.4 if depth == 0 else 0.15):
            label = self.pending.pop(0)
            self.put(f"{label}:;")
            self.backward.add(label)
        deep = depth >= 4
        kind = self.pick(
            send=5, receive=2, compute=2, call=3, branch=0 if deep else 5, loop=0 if deep else 3, switch=0 if deep else 1,
            leave=1, jump=1 if self.random_labels else 0, ret=0.4, indirect=0.5, quiet_loop=0.5,
            trycatch=1.5 if self.cxx and not deep else 0, throw=0.5 if self.cxx else 0, guard=0.7 if self.cxx else 0,
            longjmp=0.4 if not self.cxx and not self.openmp else 0, outside=0.7, ends=0.03,
            callback=0.5, construct=2 if self.openmp and not deep else 0,
        )  # fmt: skip
        if self.passive and kind in ("send", "receive", "leave", "guard"):
            kind = "outside"
        if self.closed and kind in ("jump", "ret", "throw", "ends"):
            kind = "compute"
        getattr(self, "put_" + kind)(depth, loops, switch)

    def put_send(self, depth, loops, switch):
        self.put("MPI_Send(__LINE__);")

    def put_receive(self, depth, loops, switch):
        self.put("r += MPI_Recv(__LINE__);")

    def put_compute(self, depth, loops, switch):
        self.put(f"if ({self.condition()}) x += 3; else x ^= r;")

    def put_call(self, depth, loops, switch):
        self.put(f"r += {self.call()};")

    def put_indirect(self, depth, loops, switch):
        self.put(f"{{ int (*volatile p)(int, int) = {self.random.choice(self.names)}; r += p(d - 1, x); }}")

    def put_callback(self, depth, loops, switch):
        """The library calls, or what the compiler does not know."""
        if not self.cxx:
            self.put(f"r += sorted(compare{self.part}{self.random.randint(0, 1)}, d, x);")
            return
        kind = self.random.choice(["lambda", "function", "virtual", "pointer"])
        if kind == "lambda":
            self.put(f"{{ int v[2] = {{1, 2}}; std::for_each(v, v + 2, [&](int e) {{ x += e; r += {self.call()}; }}); }}")
        elif kind == "function":
            self.put(f"{{ std::function<int(int)> g = [=](int e) {{ return {self.call()} + e; }}; r += g(2); }}")
        elif kind == "virtual":
            self.put(f"{{ Virtual{self.part}{self.random.randint(0, 1)} b; Virtual *volatile p = &b; r += p->go(d, x); }}")
        else:
            self.put("{ std::unique_ptr<Virtual> p; if (x & 1) p.reset(new Virtual%d0); else p.reset(new Virtual%d1);" % (self.part, self.part))
            self.put("  r += p->go(d, x); }")

    def callbacks(self):
        """What put_callback() uses, for a file."""
        for number in range(2):
            name = self.random.choice(self.names)
            if self.cxx:
                yield f"namespace {{ struct Virtual{self.part}{number} : Virtual {{ int go(int d, int x) override {{ return {name}(d - 1, x); }} }}; }}"
            else:
                yield (f"static int compare{self.part}{number}(const void *a, const void *b) {{\n"
                       f"  if (later_d > 0 && --fuel > 0) {name}(later_d - 1, later_x);\n"
                       "  return *(const int *)a - *(const int *)b;\n}")  # fmt: skip

    def put_construct(self, depth, loops, switch):
        """Of OpenMP, for one thread."""
        i = f"o{depth}"
        kind = self.random.choice(["parallel", "for", "single", "critical", "master", "task", "sections"])
        if kind == "for":
            self.put(f"#pragma omp parallel for num_threads(1) firstprivate(r)")
            self.put(f"for (int {i} = 0; {i} < 2; {i}++) {{")
        elif kind == "sections":
            self.put("#pragma omp parallel sections num_threads(1)")
            self.put("{")
            self.put("#pragma omp section")
            self.put("{")
        elif kind == "task":
            self.put("#pragma omp parallel num_threads(1)")
            self.put("#pragma omp single")
            self.put("{")
            self.put("#pragma omp task if(0) shared(x, r)")
            self.put("{")
        elif kind == "parallel":
            self.put("#pragma omp parallel num_threads(1)")
            self.put("{")
        else:
            # Nested sections of one name would wait for each other.
            self.put("#pragma omp parallel num_threads(1)")
            self.put(f"#pragma omp {'single' if kind == 'critical' else kind}")
            self.put("{")
        self.closed += 1
        self.body(depth, 0, False)
        self.closed -= 1
        self.put("}" + "}" * (kind in ("sections", "task")))

    def put_outside(self, depth, loops, switch):
        self.put("r += outside(x);")

    def put_ends(self, depth, loops, switch):
        self.put("if (rnd(50) == 0) finish();")

    def put_branch(self, depth, loops, switch):
        self.put(f"if ({self.condition()}) {{")
        self.body(depth, loops, switch)
        if self.random.random() < 0.5:
            self.put("} else {")
            self.body(depth, loops, switch)
        self.put("}")

    def put_loop(self, depth, loops, switch):
        i, n = f"i{depth}", f"n{depth}"
        kind_of_counter = "int " if self.cxx else ""
        bound = self.random.choice(["rnd(4)", "3", "x & 3", "2 + rnd(3)"])
        kind = self.random.choice(["for", "while", "do", "endless"])
        if kind == "for":
            self.put(f"for ({kind_of_counter}{i} = 0, {n} = {bound}; {i} < {n} && --fuel > 0; {i}++) {{")
        elif kind == "while":
            self.put(f"while (rnd(3) && --fuel > 0) {{")
        elif kind == "do":
            self.put("do {")
        else:
            self.put("for (;;) { if (--fuel < 0 || rnd(4) == 0) break;")
        self.body(depth, loops + 1, False)
        self.put("} while (rnd(3) == 0 && --fuel > 0);" if kind == "do" else "}")

    def put_quiet_loop(self, depth, loops, switch):
        self.put("for (int q = 0; q < 3; q++) { if (x & q) break; x += q; }")

    def put_switch(self, depth, loops, switch):
        self.put(f"switch (rnd({self.random.randint(2, 6)})) {{")
        for case in range(self.random.randint(1, 4)):
            self.put(f"case {case}: {{")
            self.body(depth, loops, True)
            self.put("}" if self.random.random() < 0.4 else "} break;")
        if self.random.random() < 0.5:
            self.put("default: {")
            self.body(depth, loops, True)
            self.put("}")
        self.put("}")

    def put_leave(self, depth, loops, switch):
        if loops:
            word = "continue" if self.random.random() < 0.5 else "break"
            self.put(f"if ({self.condition()}) {word};")
        else:
            self.put_send(depth, loops, switch)

    def put_jump(self, depth, loops, switch):
        if self.computed and self.random.random() < 0.5:
            self.put(f"if (rnd(3) == 0 && --fuel > 0) goto *table[rnd({len(self.random_labels)})];")
            return
        label = self.random.choice(self.random_labels)
        if self.cxx and label not in self.backward:
            return  # it might jump over an initialisation
        self.put(f"if (rnd(3) == 0 && --fuel > 0) goto {label};")

    def put_ret(self, depth, loops, switch):
        value = self.call() if self.random.random() < 0.4 and not self.jumps else "r"
        restore = "target = outer; " if self.jumps else ""
        self.put(f"if ({self.condition()}) {{ {restore}return {value}; }}")

    def put_trycatch(self, depth, loops, switch):
        self.put("try {")
        self.body(depth, loops, switch)
        self.put("} catch (int e) {")
        self.block(self.random.randint(0, 2), depth + 1, loops, switch)
        if self.random.random() < 0.2:
            self.put("throw;")
        self.put("}")

    def put_throw(self, depth, loops, switch):
        self.put("if (rnd(4) == 0) throw 1;")

    def put_guard(self, depth, loops, switch):
        self.put(f"{{ {self.random.choice(['Guard', 'Quiet'])} g;")
        self.body(depth, loops, switch)
        self.put("}")

    def put_longjmp(self, depth, loops, switch):
        self.put("if (target && rnd(8) == 0 && --fuel > 0) longjmp(*target, 1);")

    def write(self, folder):
        third = len(self.names) // 3
        parts = [self.names[:third], self.names[third : 2 * third], self.names[2 * third :]]
        suffix = ".cpp" if self.cxx else ".c"
        prototypes = "".join(f"int {name}(int, int);\n" for name in self.names)
        for part, names in enumerate(parts):
            self.part, self.passive = part, part == 2
            self.lines = [HEAD, prototypes + "int outside(int); void finish(void);"]
            if part == 1:
                self.lines.append(MAIN)
            self.lines += ([] if self.cxx else [SORTED]) + list(self.callbacks())
            for name in names:
                self.function(name)
            (folder / f"part{part}{suffix}").write_text("\n".join(self.lines) + "\n")


SORTED = """
static int later_d, later_x;
static int sorted(int (*order)(const void *, const void *), int d, int x) {
  int v[3] = {2, 1, 3}, before_d = later_d, before_x = later_x;
  later_d = d, later_x = x;
  qsort(v, 3, sizeof *v, order);
  later_d = before_d, later_x = before_x;
  return v[0];
}
"""

MAIN = """
int fuel = 3000; unsigned seed = 1; jmp_buf *target;
int outside(int x) { if (rnd(3) == 0) MPI_Send(__LINE__); return x + 1; }
#ifdef __cplusplus
extern "C" void check_report(void);
#else
void check_report(void);
#endif
void finish(void) { check_report(); exit(0); }
static void once(int i) { target = 0; if (i & 1) f0(6, i); else f1(7, i); }
int main(int argc, char **argv) {
  seed = argc > 1 ? atoi(argv[1]) : 1;
  MPI_Send(__LINE__);
  for (int i = 0; i < 40; i++) {
    fuel = 1000;
#ifdef __cplusplus
    try { once(i); } catch (int) { MPI_Recv(__LINE__); }
#else
    once(i);
#endif
  }
  finish();
}
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--functions", type=int, default=12)
    parser.add_argument("--language", choices=["c", "c++"], default="c")
    parser.add_argument("--openmp", action="store_true")
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    Writer(options).write(options.output)


main()
