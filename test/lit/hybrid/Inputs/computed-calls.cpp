// Calls whose target the compiler does not know, between others.
#include <cstdlib>
#include <memory>
#include <mpi.h>

static void probe(int Tag) {
  int Flag;
  MPI_Iprobe(MPI_PROC_NULL, Tag, MPI_COMM_WORLD, &Flag, MPI_STATUS_IGNORE);
}

static int compare(const void *A, const void *B) {
  probe(1);
  return *static_cast<const int *>(A) - *static_cast<const int *>(B);
}

struct Base {
  virtual void step(int I) = 0;
  virtual ~Base() = default;
};
struct Derived : Base {
  void step(int I) override { probe(I); }
  ~Derived() override { probe(2); }
};

static void first(int I) { probe(I); }
static void second(int I) { probe(I); }
static void (*volatile Targets[])(int) = {first, second};

// Makes no call of MPI that the compiler knows.
static void indirect(int I) { Targets[1](I); }

int main(int Argc, char **Argv) {
  MPI_Init(&Argc, &Argv);
  probe(0);
  Targets[0](1);
  probe(0);
  for (int I = 0; I < 3; ++I)
    Targets[I % 2](I);
  probe(0);
  if (Argc == 1)
    indirect(3);
  int Numbers[] = {2, 1};
  qsort(Numbers, 2, sizeof *Numbers, compare);
  {
    std::unique_ptr<Base> Object(new Derived);
    Object->step(4);
    probe(0);
  }
  MPI_Finalize();
}
