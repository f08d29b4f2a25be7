#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>
#include <mpi.h>
#include <stdexcept>
#include <vector>

namespace app {
struct Field {
  std::vector<double> Values;
  explicit Field(int N) : Values(static_cast<size_t>(N)) {}
};
template <typename T> struct Exchange {
  T Value;
  virtual ~Exchange() { MPI_Barrier(MPI_COMM_WORLD); }
  void step(int K) {
    if (K == 3)
      throw std::runtime_error("three");
    MPI_Bcast(&Value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
};
} // namespace app

int main(int Argc, char **Argv) {
  int Rank;
  MPI_Init(&Argc, &Argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  {
    app::Field A(10);
    if (Rank == 0)
      std::cout << "hello" << std::endl;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int I = 0; I < 4; ++I) {
      app::Field B(I);
      if (Rank == 0)
        std::cout << I << "\n";
      MPI_Barrier(MPI_COMM_WORLD);
    }
    for (int I = 0; I < 5; ++I) {
      app::Field C(I);
      std::cout << I << "\n";
      MPI_Barrier(MPI_COMM_WORLD);
    }
    auto E = std::make_unique<app::Exchange<int>>();
    for (int I = 0; I < 5; ++I)
      try {
        E->step(I);
      } catch (const std::exception &X) {
        std::cout << X.what() << "\n";
        if (I != 2)
          MPI_Barrier(MPI_COMM_WORLD);
      }
  }
  std::vector<int> Some{3, 1, 2};
  std::for_each(Some.begin(), Some.end(), [](int &X) { MPI_Bcast(&X, 1, MPI_INT, 0, MPI_COMM_WORLD); });
  std::function<void()> Last = [] { MPI_Barrier(MPI_COMM_WORLD); };
  Last();
  MPI_Finalize();
}
