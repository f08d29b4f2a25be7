//===- Proxy.cpp - a C program that makes the calls of a trace ------------===//
#include "proxygen/proxy/Proxy.h"
#include "proxygen/Replayable.h"
#include "proxygen/proxy/GapTables.h"
#include "proxygen/proxy/Prelude.h"
#include "proxygen/proxy/Program.h"
#include "trace/base/Counted.h"
#include "trace/model/RequestName.h"

#include <cctype>
#include <fmt/format.h>
#include <ranges>
#include <unordered_set>

namespace pilgrim {

namespace {
std::string baseName(const std::string &Path) { return Path.substr(Path.rfind('/') + 1); }

/// How often it did.
size_t replaceAll(std::string &In, std::string_view Old, std::string_view New) {
  size_t Times = 0;
  for (size_t At = 0; (At = In.find(Old, At)) != std::string::npos; At += New.size(), ++Times)
    In.replace(At, Old.size(), New);
  return Times;
}

std::string quotedComment(std::string Text) {
  for (size_t At; (At = Text.find("*/")) != std::string::npos;)
    Text.replace(At, 2, "* /");
  return Text;
}

/// The names in a piece of C, and its keywords. They refer to the text.
void addIdentifiers(std::string_view Text, std::unordered_set<std::string_view> &To) {
  auto IsPart = [](char C) { return std::isalnum(static_cast<unsigned char>(C)) || C == '_'; };
  for (size_t At = 0; At < Text.size();) {
    const size_t Begin = At;
    while (At < Text.size() && IsPart(Text[At]))
      ++At;
    if (At > Begin && !std::isdigit(static_cast<unsigned char>(Text[Begin])))
      To.insert(Text.substr(Begin, At - Begin));
    At += At == Begin;
  }
}

class Writer {
public:
  Writer(const Trace &T, const ProxyOptions &O, const ProxyMemory &M)
      : T(T), O(O), M(M), W(T), Ranks(S, T.world()), P(S, W, M,
                                                       O.Compute == "mean"       ? Program::Gaps::Mean
                                                       : O.Compute == "recorded" ? Program::Gaps::Recorded
                                                                                 : Program::Gaps::None) {}

  std::expected<std::string, std::string> text() {
    S.HasThreads = W.threads().size() > 1;
    S.HasWindowMemory = hasWindowMemory();
    std::string Run = gaps(0) + P.thread(0);
    for (uint32_t I = 1; I < W.threads().size(); ++I)
      addThread(I);
    if (S.HasThreads) {
      P.turns();
      Run = withThreads(Run);
    }
    if (!P.error().empty())
      return std::unexpected(P.error());
    if (!Problem.empty())
      return std::unexpected(Problem);
    std::string Memory = memory(), Start = setUp(), Main = mainFunction(Run);
    const std::string Tables = usedTables(Start + Main + S.Declarations);
    std::string Out = head();
    if (S.Helpers.contains("library") || S.Helpers.contains("map"))
      Out += "#define _GNU_SOURCE\n";
    if (S.CallsDeprecated)
      Out += "/* Open MPI: declares what MPI-3 has removed. */\n#define OMPI_OMIT_MPI1_COMPAT_DECLS 0\n"
             "#define OMPI_WANT_MPI_INTERFACE_WARNING 0\n";
    Out += "#include <mpi.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n";
    if ((S.Body + Main).find("MPI_STATUSES_IGNORE") != std::string::npos)
      Out += "/* GCC takes the MPI_STATUSES_IGNORE of some libraries for an array without elements. */\n"
             "#if defined(__GNUC__) && !defined(__clang__)\n#pragma GCC diagnostic ignored "
             "\"-Wstringop-overflow\"\n#endif\n\n";
    Out += "static int rank, size; /* of this process in MPI_COMM_WORLD */\n";
    if (S.Body.find("&argument") != std::string::npos)
      Out += "static int argument_count;\nstatic char **arguments;\n";
    Out += objects() + Memory + preludeText(S.Helpers, S.Depth, W.threads().back().Number + 1);
    if (!Tables.empty())
      Out += "\n/* What does not follow from the rank. */\n" + Tables;
    if (!S.Declarations.empty())
      Out += "\n" + S.Declarations;
    return Out + S.Body + Start + Main;
  }

private:
  bool hasWindowMemory() const {
    const auto Gives = [](const auto &F) {
      const CallInfo *I = findCall(F.first);
      return I && std::ranges::any_of(I->Params, [](const ParamInfo &P) { return P.How == Passing::OutAddress; }) &&
             std::ranges::any_of(F.second.Slots, [](const ParamSchema &P) { return P.K == Kind::Win; });
    };
    const auto IsOnHeap = [](const auto &P) { return P.first.T == Tag::Heap; };
    return std::ranges::any_of(M.Pieces, IsOnHeap) && std::ranges::any_of(T.functions(), Gives);
  }

  /// Some text is not used in the end, where another one was equal to it.
  std::string usedTables(const std::string &Rest) const {
    std::unordered_set<std::string_view> Used;
    addIdentifiers(Rest, Used);
    addIdentifiers(S.Body, Used);
    std::vector<const std::string *> Backwards;
    for (auto It = S.Tables.rbegin(); It != S.Tables.rend(); ++It)
      if (Used.contains(It->first)) {
        addIdentifiers(It->second, Used);
        Backwards.push_back(&It->second);
      }
    std::string Out;
    for (const std::string *Text : std::views::reverse(Backwards))
      Out += *Text;
    return Out;
  }

  /// Where a thread finds the times before its calls.
  std::string gaps(uint32_t I) {
    if (O.Compute != "recorded")
      return "";
    S.use("gap");
    auto Name = GapTables::write(S, T, W.threads()[I].Number);
    if (!Name)
      Problem = Name.error();
    return Name ? "next_gap = " + *Name + "[rank];\n" : "";
  }

  /// A function that runs another thread than the first.
  void addThread(uint32_t I) {
    const uint32_t Number = W.threads()[I].Number;
    const std::string Run = gaps(I) + P.thread(I), Name = S.name("thread_" + std::to_string(Number));
    S.add("\nstatic void *" + Name + "(void *unused) {\n  (void)unused;\n  begin_thread(" + std::to_string(Number) +
          ");\n" + frame(MemoryPiece::stackOf(Number)) + indented(Run) + "  end_thread();\n  return NULL;\n}\n");
    S.use("requests");
    S.object(Kind::Request, 0);
    const std::string At = "threads[" + std::to_string(I - 1) + "]";
    const std::string When = Ranks.condition(W.threads()[I].Ranks, W.threads()[0].Ranks);
    Starts += (Starts.empty() ? "" : "\n") +
              guarded(When, "start_thread(&" + At + ", " + std::to_string(frameBytes(MemoryPiece::stackOf(Number))) +
                                ", " + Name + ");");
    Joins += "\n" + guarded(When, "pthread_join(" + At + ", NULL);");
  }

  /// The first thread starts the others, which wait for their turns.
  std::string withThreads(const std::string &Run) const {
    return "begin_thread(" + std::to_string(W.threads()[0].Number) + ");\npthread_t threads[" +
           std::to_string(W.threads().size() - 1) + "];\n" + Starts + "\n" + Run + "\nend_threads();" + Joins;
  }

  std::string head() const {
    const std::string File = baseName(O.Output);
    std::string Program = File.substr(0, File.rfind('.'));
    if (Program == File)
      Program += ".exe";
    auto Meta = [&](const char *Key) {
      auto It = T.meta().find(Key);
      return It == T.meta().end() ? std::string() : It->second;
    };
    std::string Out = "/* Makes the MPI calls of " + quotedComment(baseName(O.Trace)) + ": " +
                      quotedComment(Meta("program")) + " on " + counted(T.world(), "rank") + ", " +
                      counted(T.calls(), "call") + ".\n";
    Out += "   Written by pilgrim proxy. Contents of buffers are arbitrary.\n\n";
    Out += std::string("     mpicc -O1 ") + (S.HasThreads ? "-pthread " : "") + "-o " + Program + " " + File + "\n";
    Out += "     mpiexec -n " + std::to_string(T.world()) + " ./" + Program + "\n*/\n";
    return Out;
  }

  std::string objects() {
    std::string Out;
    for (auto &[K, Largest] : S.Objects) {
      if (!objectArray(K))
        continue;
      // In sequences: as many as there can be.
      const int64_t Most = std::max<int64_t>(Largest == INT32_MAX ? largestOf(K) : Largest, 0);
      Out += std::string("static ") + (S.HasThreads ? "_Thread_local " : "") + objectType(K) + " " + objectArray(K) +
             "[" + std::to_string(Most + 1) + "];\n";
    }
    if (S.Helpers.contains("requests") && !S.Objects.contains(Kind::Request))
      Out += "static MPI_Request req[1];\n";
    return S.HasThreads ? Out + ownObjects() : Out;
  }

  /// Where each thread's names of objects are, and when it made them.
  std::string ownObjects() const {
    std::string Arrays, Sets;
    for (const auto &[K, Largest] : S.Objects) {
      const char *Array = objectArray(K);
      if (!Array || K == Kind::Request)
        continue;
      const std::string Threads = "[" + std::to_string(W.threads().back().Number + 1) + "];\n";
      Arrays += fmt::format("static void *{0}_of{1}static _Thread_local long {0}_made[sizeof {0} / sizeof *{0}];\n"
                            "static long *{0}_made_of{1}",
                            Array, Threads);
      Sets += fmt::format("  {0}_of[number] = {0};\n  {0}_made_of[number] = {0}_made;\n"
                          "  for (size_t i = 0; i < sizeof {0} / sizeof *{0}; ++i)\n    {0}[i] = {1};\n",
                          Array, objectNull(K));
    }
    return Arrays + "\nstatic inline void own_objects(int number) {\n" + (Sets.empty() ? "  (void)number;\n" : Sets) +
           "}\n";
  }

  /// The largest number of an object in any call; no limit if it is in none of these.
  int64_t largestOf(Kind K) const {
    int64_t Out = -1;
    auto Include = [&](int64_t V) {
      if (V >= 0)
        Out = std::max<int64_t>(Out, K == Kind::Request ? RequestName::of(V, 0).Number : V);
    };
    W.forEachCall([&](const CallShape &C) {
      for (size_t I = 1; I < C.Slots.size(); ++I) {
        const SlotShape &V = C.Slots[I];
        if (C.Function->Slots[I].K != K)
          continue;
        if (V.IsStreamed) {
          const auto &Streams = W.group(C.Thread).Nodes[C.Node].Events.at(C.Event).Streams;
          for (const auto &[Key, L] : Streams)
            if (Key.Slot == I && Key.Function == C.Content->Tokens[0])
              for (const RankedStream &X : L)
                X.Values.expanded().forEachRun([&](const LinearRun &R, uint64_t) {
                  Include(R.First);
                  Include(R.First + R.Stride * static_cast<int64_t>(R.Count - 1));
                });
        } else {
          constexpr size_t MostLevels = 1024;
          for (const RankFn &F : V.Words) {
            const auto [Least, Most] = F.range(C.Ranks, W.world());
            Include(Most);
            // Of requests of several threads, the largest word need not have the largest number.
            if (const auto Levels = K == Kind::Request && Most > INT32_MAX && Least != Most
                                        ? F.levels(C.Ranks, W.contextOf(C), MostLevels)
                                        : std::nullopt)
              for (const auto &L : *Levels)
                Include(L.Value);
          }
        }
      }
    });
    return std::min<int64_t>(Out, 1 << 24);
  }

  std::string memory() {
    std::string Out;
    const int64_t NumSegments = M.numberOf(Tag::Heap), NumMappings = M.numberOf(Tag::Map);
    auto List = [&](Tag T, int64_t Count, auto Of) {
      std::string List;
      for (int64_t N = 0; N < Count; ++N) {
        auto It = M.Pieces.find({T, N, ""});
        List += (N ? ", " : "") + std::to_string(Of(It == M.Pieces.end() ? ByteSpan{0, 1} : It->second));
      }
      return List;
    };
    const auto Front = [](ByteSpan Span) { return std::max<int64_t>(-Span.First, 0); };
    const auto End = [](ByteSpan Span) { return std::max<int64_t>(Span.End, 1); };
    if (NumSegments) {
      Out += "\nstatic char *segments[" + std::to_string(NumSegments) + "];\n";
      Out += "static const size_t segment_bytes[] = {" + List(Tag::Heap, NumSegments, End) + "};\n";
      S.use("seg");
    }
    // A datatype may go from one block to others, which may lie anywhere.
    if (std::ranges::any_of(M.Pieces, [&](const auto &P) { return P.first.T == Tag::Heap && Front(P.second); })) {
      Out += "static const size_t segment_front[] = {" + List(Tag::Heap, NumSegments, Front) +
             "}; /* bytes that lie before a block, and are used with it */\n";
      S.use("front");
    }
    if (NumMappings) {
      Out += "\nstatic char *mappings[" + std::to_string(NumMappings) + "];\n";
      Out += "static const size_t mapping_bytes[] = {" + List(Tag::Map, NumMappings, End) + "};\n";
      S.use("map");
    }
    if (M.Pieces.contains(MemoryPiece::mainStack()))
      Out += "\nstatic char *main_stack; /* variables on the main thread's stack that other threads use, from its top "
             "*/\n";
    for (const auto &[P, Span] : M.Pieces) {
      if (P.T == Tag::Stack && Out.find("*stack;") == std::string::npos)
        Out += std::string("static ") + (S.HasThreads ? "_Thread_local " : "") +
               "char *stack; /* variables on the stack, from its top */\n";
      if (P.T != Tag::Data)
        continue;
      const std::string Name = "data_" + identifier(P.Module);
      const int64_t Bytes = Span.End - Span.First + 64;
      Out += "static _Alignas(64) char room_of_" + Name + "[" + std::to_string(Bytes) + "];\n";
      Out += "static char *" + Name + "; /* static variables of " + quotedComment(P.Module) + " */\n";
      S.setUp(Name + " = " + rebased("room_of_" + Name, Span.First) + ";");
    }
    return Out;
  }

  /// The address of offset 0 where First is the first offset in use; alignments stay.
  static std::string rebased(const std::string &Room, int64_t First) {
    const int64_t Over = ((First % 64) + 64) % 64;
    return "(char *)((uintptr_t)" + Room + " + " + std::to_string(Over) + " - (uintptr_t)" +
           (First < 0 ? "(" + numberText(First) + ")" : numberText(First)) + ")";
  }

  size_t frameBytes(const MemoryPiece &Stack) const {
    auto It = M.Pieces.find(Stack);
    return It == M.Pieces.end() ? 0 : static_cast<size_t>(It->second.End - It->second.First + 64);
  }

  /// Variables on a stack.
  std::string frame(const MemoryPiece &Stack, const char *Top = "stack", const char *Name = "frame") const {
    const size_t Bytes = frameBytes(Stack);
    return Bytes ? std::string("  _Alignas(64) char ") + Name + "[" + std::to_string(Bytes) + "];\n  " + Top + " = " +
                       rebased(Name, M.Pieces.at(Stack).First) + ";\n"
                 : "";
  }

  std::string setUp() const {
    const std::string Size = std::to_string(T.world());
    std::string Out = R"(
/* The launcher tells the rank, and the number of ranks: they are needed before MPI can be asked. */
static long told_by(const char *const *variables, long otherwise) {
  for (; *variables; ++variables)
    if (getenv(*variables))
      return atol(getenv(*variables));
  return otherwise;
}

static void set_up(void) {
  static const char *const of_rank[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID", NULL};
  static const char *const of_size[] = {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS", NULL};
)";
    Out += "  size = " + Size + ";\n  rank = (int)told_by(of_rank, size == 1 ? 0 : -1);\n";
    Out += "  if (rank < 0 || told_by(of_size, size) != size) {\n    if (rank <= 0)\n"
           "      fprintf(stderr, rank < 0 ? \"the launcher does not tell the rank (PMI_RANK, PMIX_RANK and others are "
           "not set)\\n\"\n"
           "                               : \"this is a proxy of " +
           counted(T.world(), "rank") + ": start it with mpiexec -n " + Size +
           "\\n\");\n"
           "    exit(2);\n  }\n";
    return Out + (S.Helpers.contains("compute") ? "  calibrate();\n" : "") +
           (S.Helpers.contains("gap") ? "  set_up_gaps();\n" : "") +
           (S.Helpers.contains("null_requests") && !S.HasThreads ? "  null_requests();\n" : "") + S.SetUp + "}\n";
  }

  std::string mainFunction(const std::string &Run) {
    std::string Out = "\nint main(int argc, char **argv) {\n";
    std::string Code = Run;
    if (S.Body.find("&argument") != std::string::npos)
      Out += "  argument_count = argc;\n  arguments = argv;\n";
    else if (const size_t Counts = replaceAll(Code, "&argument_count", "&argc"),
             Vectors = replaceAll(Code, "&arguments", "&argv");
             !Counts || !Vectors)
      Out += "  (void)argc, (void)argv;\n";
    return Out + frame(MemoryPiece::mainStack(), "main_stack", "main_frame") +
           frame(MemoryPiece::stackOf(W.threads()[0].Number)) + "  set_up();\n" + indented(Code) +
           (S.Helpers.contains("inside")
                ? "  if (left_out)\n    fprintf(stderr, \"rank %d: %ld calls of callbacks were left out: MPI did not "
                  "make the callbacks\\n\", rank, left_out);\n"
                : "") +
           "  return 0;\n}\n";
  }

  const Trace &T;
  const ProxyOptions &O;
  const ProxyMemory &M;
  Walk W;
  Source S;
  RankText Ranks;
  Program P;
  std::string Starts, Joins; ///< of threads
  std::string Problem;       ///< with the trace
};
} // namespace

std::expected<std::string, std::string> proxyOf(const Trace &T, const ProxyOptions &O) {
  if (auto Why = whyNotReplayable(T); !Why.empty())
    return std::unexpected(Why);
  if (Walk(T).threads().empty())
    return std::unexpected("no calls");
  if (O.Compute == "mean" && !isTimed(T))
    return std::unexpected("no times in this trace (timing=off): --compute mean has nothing to go by");
  if (O.Compute == "recorded" && !hasOwnTimes(T))
    return std::unexpected(
        "no times of single calls in this trace: --compute recorded needs one taken with --timing calls");
  if (O.Compute == "recorded" && T.calls() > GapTables::MostCalls)
    return std::unexpected(std::to_string(T.calls()) +
                           " calls: --compute recorded writes the time before each; at most " +
                           std::to_string(GapTables::MostCalls));
  auto M = ProxyMemory::of(T);
  if (!M)
    return std::unexpected(M.error());
  return Writer(T, O, *M).text();
}

} // namespace pilgrim
