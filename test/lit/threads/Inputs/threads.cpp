// Threads of all kinds. Each counts its calls of MPI itself; their sum over all ranks is printed, and how much memory
// was needed.
//
//   threads KIND ROUNDS
//
// order: threads and main take turns under a lock, as a fixed pattern says; the tag counts all their calls.
// random: likewise, but whose turn it is is a matter of chance.
// hammer: eight threads at the same time.  ended: threads one after the other, and four at a time, each for one round.
// first: four threads that begin at once and are the first to make, use and free a thing of each kind.
// late: threads that free buffers while the program finalizes.  uneven: threads that end while others go on.  funneled,
// serialized: by OpenMP.
#include <mpi.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <pthread.h>
#include <sys/resource.h>
#include <thread>
#include <vector>

static std::atomic<long> Calls{0};
static int Rounds;

/// One call, with a buffer on the stack and a message to itself.
static void call(MPI_Comm Comm, int Tag) {
  int Out = Tag, In = -1;
  MPI_Sendrecv(&Out, 1, MPI_INT, 0, Tag, &In, 1, MPI_INT, 0, Tag, Comm, MPI_STATUS_IGNORE);
  if (In != Tag)
    std::abort();
}

static void inTurns(unsigned Threads, bool AtRandom) {
  std::mutex Lock;
  std::condition_variable Changed;
  unsigned Whose = 0, Seed = 1;
  int Number = 0, Last = Rounds * static_cast<int>(Threads);
  std::vector<std::thread> All;
  for (unsigned I = 0; I < Threads; ++I)
    All.emplace_back([&, I] {
      for (;;) {
        std::unique_lock<std::mutex> L(Lock);
        Changed.wait(L, [&] { return Whose == I || Number >= Last; });
        if (Number >= Last)
          return;
        for (unsigned N = AtRandom ? 1 : I + 1; N--;)
          call(MPI_COMM_SELF, Number++ % 30000), ++Calls;
        Seed = Seed * 1103515245 + 12345;
        Whose = AtRandom ? Seed / 65536 % Threads : (I + 1) % Threads;
        Changed.notify_all();
      }
    });
  for (std::thread &T : All)
    T.join();
}

static void hammer(unsigned Threads, bool IsUneven) {
  std::vector<MPI_Comm> Comms(Threads);
  for (MPI_Comm &C : Comms)
    MPI_Comm_dup(MPI_COMM_SELF, &C), ++Calls;
  std::vector<std::thread> All;
  for (unsigned I = 0; I < Threads; ++I)
    All.emplace_back([&, I] {
      long Mine = 0;
      int In, Out = 1, N = IsUneven ? Rounds * static_cast<int>(I) / 8 : Rounds;
      for (int Round = 0; Round < N; ++Round) {
        MPI_Request R[2];
        std::vector<int> Heap(16 + I);
        MPI_Irecv(Heap.data(), 1, MPI_INT, MPI_ANY_SOURCE, Round % 5, Comms[I], &R[0]);
        MPI_Isend(&Out, 1, MPI_INT, 0, Round % 5, Comms[I], &R[1]);
        MPI_Waitall(2, R, MPI_STATUSES_IGNORE);
        MPI_Comm_rank(Comms[I], &In);
        Mine += 4;
      }
      Calls += Mine;
    });
  for (std::thread &T : All)
    T.join();
  for (MPI_Comm &C : Comms)
    MPI_Comm_free(&C), ++Calls;
}

static void onError(MPI_Comm *, int *, ...) {}

/// Of each kind of thing one is made and freed, and MPI asked for this and that. How many calls it makes.
static long ofEachKind(MPI_Comm Comm, int Round) {
  long N = 0;
  auto Did = [&](int Code) {
    if (Code != MPI_SUCCESS)
      std::abort();
    ++N;
  };
  int In, Out = Round, Flag;
  Did(MPI_Iprobe(MPI_ANY_SOURCE, 30 + Round, Comm, &Flag, MPI_STATUS_IGNORE));
  MPI_Datatype Type;
  Did(MPI_Type_vector(2, 1, 2 + Round, MPI_INT, &Type));
  Did(MPI_Type_commit(&Type));
  Did(MPI_Type_free(&Type));
  MPI_Group All, Some;
  Did(MPI_Comm_group(Comm, &All));
  Did(MPI_Group_incl(All, 1, std::vector<int>(1).data(), &Some));
  Did(MPI_Group_free(&Some));
  Did(MPI_Group_free(&All));
  MPI_Info Info;
  Did(MPI_Info_create(&Info));
  Did(MPI_Info_set(Info, "key", std::to_string(Round).c_str()));
  Did(MPI_Info_free(&Info));
  int Key;
  Did(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &Key, nullptr));
  Did(MPI_Comm_set_attr(Comm, Key, &N));
  Did(MPI_Comm_delete_attr(Comm, Key));
  Did(MPI_Comm_free_keyval(&Key));
  MPI_Op Op;
  Did(MPI_Op_create([](void *, void *, int *, MPI_Datatype *) {}, 1, &Op));
  Did(MPI_Op_free(&Op));
  MPI_Errhandler Handler;
  Did(MPI_Comm_create_errhandler(onError, &Handler));
  Did(MPI_Comm_set_errhandler(Comm, Handler));
  Did(MPI_Comm_set_errhandler(Comm, MPI_ERRORS_RETURN));
  Did(MPI_Errhandler_free(&Handler));
  MPI_Request R[2];
  Did(MPI_Recv_init(&In, 1, MPI_INT, 0, 3, Comm, &R[0]));
  Did(MPI_Send_init(&Out, 1, MPI_INT, 0, 3, Comm, &R[1]));
  Did(MPI_Startall(2, R));
  Did(MPI_Waitall(2, R, MPI_STATUSES_IGNORE));
  Did(MPI_Request_free(&R[0]));
  Did(MPI_Request_free(&R[1]));
  if (In != Out)
    std::abort();
  Did(MPI_Ibarrier(Comm, &R[0]));
  for (Flag = 0; !Flag;)
    Did(MPI_Test(&R[0], &Flag, MPI_STATUS_IGNORE));
  MPI_Win Win;
  Did(MPI_Win_create(&In, sizeof In, 1, MPI_INFO_NULL, Comm, &Win));
  Did(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, MPI_MODE_NOCHECK, Win));
  Did(MPI_Put(&Out, 1, MPI_INT, 0, 0, 1, MPI_INT, Win));
  Did(MPI_Win_unlock(0, Win));
  Did(MPI_Win_free(&Win));
  MPI_Comm Grid, Named;
  Did(MPI_Cart_create(Comm, 1, std::vector<int>(1, 1).data(), std::vector<int>(1).data(), 0, &Grid));
  Did(MPI_Comm_split(Grid, Round, 0, &Named));
  Did(MPI_Comm_set_name(Named, "named"));
  Did(MPI_Comm_free(&Named));
  Did(MPI_Comm_free(&Grid));
  return N;
}

static void first(unsigned Threads) {
  std::vector<MPI_Comm> Comms(Threads);
  std::atomic<unsigned> Begun{0}, Probed{0};
  std::atomic<bool> HasComms{false};
  auto WaitFor = [](auto Condition) {
    while (!Condition())
      std::this_thread::yield();
  };
  std::vector<std::thread> All;
  for (unsigned I = 0; I < Threads; ++I)
    All.emplace_back([&, I] {
      ++Begun;
      WaitFor([&] { return Begun == Threads; });
      // Nothing that orders what the threads do, but for the first time.
      int Flag;
      for (int N = 0; N < 100; ++N, ++Calls)
        MPI_Iprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &Flag, MPI_STATUS_IGNORE);
      ++Probed;
      WaitFor([&] { return HasComms.load(); });
      for (int Round = 0; Round < Rounds; ++Round)
        Calls += ofEachKind(Comms[I], Round);
    });
  WaitFor([&] { return Probed == Threads; });
  for (MPI_Comm &C : Comms)
    MPI_Comm_dup(MPI_COMM_SELF, &C), ++Calls;
  HasComms = true;
  for (std::thread &T : All)
    T.join();
  for (MPI_Comm &C : Comms)
    MPI_Comm_free(&C), ++Calls;
}

static void *short1(void *Tag) {
  char Room[64]; // stacks of other sizes, used to other depths
  std::memset(Room, 0, sizeof Room);
  call(MPI_COMM_SELF, static_cast<int>(reinterpret_cast<size_t>(Tag)));
  call(MPI_COMM_SELF, static_cast<int>(reinterpret_cast<size_t>(Tag)) + Room[7]);
  Calls += 2;
  return nullptr;
}

static void ended() {
  for (int Round = 0; Round < Rounds; ++Round) {
    pthread_attr_t A;
    pthread_attr_init(&A);
    pthread_attr_setstacksize(&A, 65536u * static_cast<unsigned>(1 + Round % 3));
    pthread_t Ids[4];
    const int N = Round % 4 == 3 ? 4 : 1;
    for (int I = 0; I < N; ++I)
      if (pthread_create(&Ids[I], &A, short1, reinterpret_cast<void *>(size_t(Round % 7))))
        std::abort();
    for (int I = 0; I < N; ++I)
      pthread_join(Ids[I], nullptr);
    pthread_attr_destroy(&A);
    call(MPI_COMM_SELF, Round % 7), ++Calls;
  }
}

static void byOpenMp(bool IsFunneled) {
#pragma omp parallel num_threads(4)
  for (int Round = 0; Round < Rounds; ++Round) {
    if (IsFunneled) {
#pragma omp master
      call(MPI_COMM_SELF, Round % 7), ++Calls;
    } else {
#pragma omp critical
      call(MPI_COMM_SELF, Round % 7), ++Calls;
    }
#pragma omp barrier
  }
}

/// Two threads that free what calls have named, one of which makes calls itself; they go on while MPI is finalized.
static std::vector<std::thread> late() {
  static std::atomic<int> Ready{0};
  std::vector<std::thread> Threads;
  for (int T = 0; T < 2; ++T) {
    std::vector<void *> Blocks;
    for (int I = 0; I < Rounds; ++I) {
      Blocks.push_back(std::malloc(100 + I % 1000));
      MPI_Send(Blocks.back(), 0, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD), ++Calls;
    }
    Threads.emplace_back([T, Blocks = std::move(Blocks)] {
      if (T == 0)
        call(MPI_COMM_SELF, 1), ++Calls;
      ++Ready;
      for (void *B : Blocks)
        std::free(B);
    });
  }
  while (Ready < 2)
    std::this_thread::yield();
  return Threads;
}

int main(int Argc, char **Argv) {
  const char *Kind = Argc > 1 ? Argv[1] : "";
  Rounds = Argc > 2 ? std::atoi(Argv[2]) : 100;
  auto Is = [&](const char *K) { return !std::strcmp(Kind, K); };
  const int Wanted = Is("funneled")                                                             ? MPI_THREAD_FUNNELED
                     : Is("hammer") || Is("uneven") || Is("ended") || Is("late") || Is("first") ? MPI_THREAD_MULTIPLE
                                                                                                : MPI_THREAD_SERIALIZED;
  int Level;
  MPI_Init_thread(&Argc, &Argv, Wanted, &Level);
  ++Calls;
  if (Level < Wanted)
    std::abort();
  std::vector<std::thread> Late;
  if (Is("late"))
    Late = late();
  else if (Is("order") || Is("random"))
    inTurns(Is("order") ? 3 : 5, Is("random"));
  else if (Is("hammer") || Is("uneven"))
    hammer(8, Is("uneven"));
  else if (Is("first"))
    first(4);
  else if (Is("ended"))
    ended();
  else
    byOpenMp(Is("funneled"));
  int Rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  long Own = Calls + 3, All = 0; // with this one and those that follow
  MPI_Reduce(&Own, &All, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  for (std::thread &T : Late)
    T.join();
  rusage Used;
  getrusage(RUSAGE_SELF, &Used);
  if (Rank == 0)
    std::printf("%ld calls\n%ld kB\n", All, Used.ru_maxrss);
  return 0;
}
