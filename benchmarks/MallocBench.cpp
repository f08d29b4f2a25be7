//===- MallocBench.cpp - What the malloc wrappers cost
//---------------------===//
//
// Measures malloc/free of small blocks with and without a preloaded library and
// prints the ratio.  The same program runs alternately in both ways, several
// times, and the fastest run of each counts, which is what a shared machine
// disturbs least.  It measures nothing but malloc and free; the library is told
// by its own environment variables, which are passed on, whether to record.
//
//   MallocBench LIBRARY [MILLIONS OF PAIRS, default 100] [ROUNDS, default 5]
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

/// Keeps the compiler from dropping a block that is not used.
void use(void *Block) { asm volatile("" : : "g"(Block) : "memory"); }

/// Frees each block at once: nothing but the allocator's fastest path.
void pairs(std::uint64_t Count) {
  for (std::uint64_t I = 0; I < Count; ++I) {
    void *Block = std::malloc(16 + I % 16 * 16);
    use(Block);
    std::free(Block);
  }
}

/// Keeps 4096 blocks of random small sizes and replaces a random one each time.
void churn(std::uint64_t Count) {
  std::vector<void *> Live(4096, nullptr);
  std::uint64_t Random = 88172645463325252;
  for (std::uint64_t I = 0; I < Count; ++I) {
    Random ^= Random << 13;
    Random ^= Random >> 7;
    Random ^= Random << 17;
    void *&Slot = Live[Random % Live.size()];
    std::free(Slot);
    Slot = std::malloc(8 + (Random >> 20) % 1000);
    // A program that allocates memory writes to it.
    *static_cast<volatile char *>(Slot) = 1;
  }
  for (void *Block : Live)
    std::free(Block);
}

struct Pattern {
  const char *Name;
  void (*Run)(std::uint64_t);
};
constexpr std::array<Pattern, 2> Patterns = {{{"malloc, free", pairs}, {"replace one of 4096", churn}}};

using Times = std::array<double, Patterns.size()>;

/// Runs in the child process: prints nanoseconds per pair for each pattern.
int measure(std::uint64_t Count) {
  for (const Pattern &P : Patterns) {
    P.Run(Count / 100);
    auto Start = std::chrono::steady_clock::now();
    P.Run(Count);
    std::chrono::duration<double, std::nano> Taken = std::chrono::steady_clock::now() - Start;
    std::printf("%f\n", Taken.count() / double(Count));
  }
  return 0;
}

/// Runs this program with \p Library preloaded (null: without) and lowers
/// \p Best to what it measured.
bool runChild(const char *Library, const std::string &Count, Times &Best) {
  int Pipe[2];
  if (pipe(Pipe) != 0)
    return false;
  pid_t Child = fork();
  if (Child == 0) {
    dup2(Pipe[1], STDOUT_FILENO);
    close(Pipe[0]);
    if (Library)
      setenv("LD_PRELOAD", Library, 1);
    else
      unsetenv("LD_PRELOAD");
    execl("/proc/self/exe", "MallocBench", "--measure", Count.c_str(), static_cast<char *>(nullptr));
    _exit(127);
  }
  close(Pipe[1]);
  std::FILE *Output = fdopen(Pipe[0], "r");
  bool Ok = Child > 0 && Output;
  for (double &Time : Best) {
    double Value = 0;
    Ok = Ok && std::fscanf(Output, "%lf", &Value) == 1;
    if (Ok)
      Time = std::min(Time, Value);
  }
  if (Output)
    std::fclose(Output);
  int Status = 0;
  return Child > 0 && waitpid(Child, &Status, 0) == Child && Status == 0 && Ok;
}

} // namespace

int main(int ArgCount, char **Args) {
  if (ArgCount == 3 && std::string(Args[1]) == "--measure")
    return measure(std::strtoull(Args[2], nullptr, 10));
  if (ArgCount < 2) {
    std::fprintf(stderr, "usage: %s LIBRARY [MILLIONS] [ROUNDS]\n", Args[0]);
    return 2;
  }
  std::string Count = std::string(ArgCount > 2 ? Args[2] : "100") + "000000";
  int Rounds = ArgCount > 3 ? std::atoi(Args[3]) : 5;
  Times Without, With;
  Without.fill(1e9);
  With.fill(1e9);
  for (int Round = 0; Round < Rounds; ++Round) {
    if (!runChild(nullptr, Count, Without) || !runChild(Args[1], Count, With)) {
      std::fprintf(stderr, "%s: a measuring process failed\n", Args[0]);
      return 1;
    }
  }
  for (std::size_t I = 0; I < Patterns.size(); ++I)
    std::printf("%-20s  %6.2f ns without  %6.2f ns with  ratio %.3f\n", Patterns[I].Name, Without[I], With[I],
                With[I] / Without[I]);
  return 0;
}
