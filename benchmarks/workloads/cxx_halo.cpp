// A C++ halo exchange with persistent requests: Send_init and Recv_init once,
// Startall and Waitall each step, behind templates, lambdas and vectors. How
// C++ codes wrap MPI: the call sites sit in inlined library code, far from the
// loops that repeat them.
#include "Workload.h"

#include <array>
#include <functional>
#include <vector>

namespace {

template <typename T> MPI_Datatype typeOf();
template <> MPI_Datatype typeOf<double>() { return MPI_DOUBLE; }
template <> MPI_Datatype typeOf<float>() { return MPI_FLOAT; }

template <typename T, int Directions> class Halo {
public:
  Halo(std::array<int, Directions> Peers, int Size) : Peers(Peers), Out(Directions), In(Directions) {
    for (int D = 0; D < Directions; ++D) {
      Out[D].resize(Size);
      In[D].resize(Size);
      MPI_Recv_init(In[D].data(), Size, typeOf<T>(), Peers[D], D ^ 1, MPI_COMM_WORLD, &Requests[D]);
      MPI_Send_init(Out[D].data(), Size, typeOf<T>(), Peers[D], D, MPI_COMM_WORLD, &Requests[Directions + D]);
    }
  }
  Halo(const Halo &) = delete;
  Halo &operator=(const Halo &) = delete;
  ~Halo() {
    for (MPI_Request &Request : Requests)
      MPI_Request_free(&Request);
  }

  // Calls Fill(peer, values) before and Check(peer, values) after the exchange.
  template <typename FillT, typename CheckT> void exchange(FillT Fill, CheckT Check) {
    for (int D = 0; D < Directions; ++D)
      Fill(Peers[D], Out[D]);
    MPI_Startall(2 * Directions, Requests.data());
    MPI_Waitall(2 * Directions, Requests.data(), MPI_STATUSES_IGNORE);
    for (int D = 0; D < Directions; ++D)
      Check(Peers[D], In[D]);
  }

private:
  std::array<int, Directions> Peers;
  std::vector<std::vector<T>> Out, In;
  std::array<MPI_Request, 2 * Directions> Requests;
};

template <typename T> void repeat(Workload &W, Halo<T, 4> &Exchange, const std::function<void(double)> &Add) {
  for (int Step = 0; Step < W.Iterations; ++Step)
    Exchange.exchange(
        [&](int Peer, std::vector<T> &Values) {
          for (T &Value : Values)
            Value = static_cast<T>(mix(W.Rank, Peer, Step) & 0xffff);
        },
        [&](int Peer, const std::vector<T> &Values) {
          for (T Value : Values)
            if (Peer >= 0) {
              require(&W, Value == static_cast<T>(mix(Peer, W.Rank, Step) & 0xffff));
              Add(static_cast<double>(Value));
            }
        });
}

} // namespace

int main(int Argc, char **Argv) {
  Workload W;
  beginWorkload(&W, Argc, Argv, 20, 16);
  {
    int Nx, Ny;
    factorGrid(W.Ranks, &Nx, &Ny);
    const int X = W.Rank % Nx, Y = W.Rank / Nx;
    const std::array<int, 4> Peers = {
        X > 0 ? W.Rank - 1 : MPI_PROC_NULL,
        X < Nx - 1 ? W.Rank + 1 : MPI_PROC_NULL,
        Y > 0 ? W.Rank - Nx : MPI_PROC_NULL,
        Y < Ny - 1 ? W.Rank + Nx : MPI_PROC_NULL,
    };
    auto Add = [&](double Value) { W.Sum += Value; };
    Halo<double, 4> Wide(Peers, W.Size);
    Halo<float, 4> Narrow(Peers, 2 * W.Size);
    repeat<double>(W, Wide, Add);
    repeat<float>(W, Narrow, Add);
  } // before MPI_Finalize
  return endWorkload(&W, "cxx_halo");
}
