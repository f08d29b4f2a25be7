//===- Compare.cpp - one thread's calls and their plain copies ------------===//
//
// Values are compared as they are. A handle or an address has a name in the trace. Once a name is bound to a raw value,
// it must mean that value at every use, until a call makes the object anew or the memory is released. Other threads may
// make an object of that name before or after this use; then either object is accepted.
//
//===----------------------------------------------------------------------===//
#include "verify/Compare.h"
#include "trace/read/Untraced.h"
#include "verify/CallCopies.h"

#include <map>
#include <utility>

namespace pilgrim {

namespace {
class Comparer {
public:
  Comparer(const Trace &T, std::shared_ptr<const RankView> View, const MpiValues &Mpi, const Bindings *Others)
      : T(T), View(std::move(View)), Mpi(Mpi), Others(Others) {}
  Comparison Found;

  bool run(const CallLog &Log) {
    CallCursor Cursor = Trace::calls(View);
    Call C;
    for (const auto &Copy : Log.Calls) {
      if (!Copy->Returned && !Copy->Abandoned)
        continue; // under way when the trace was written
      if (!Copy->IsTraced) {
        ++Skipped;
        noteMade(*Copy);
        continue;
      }
      if (!nextTraced(Cursor, C))
        return differs(Found.Calls, "(the trace ends)", Cursor.error());
      if (Skipped)
        return differsInSkipped();
      if (C.Function->Id != Copy->Function || C.Depth != Copy->Depth)
        return differs(Found.Calls, "(function)",
                       C.Function->Name + " instead of function " + std::to_string(Copy->Function));
      if (std::exchange(Owner, Copy->Owner) != Copy->Owner)
        Bases.erase({Tag::Stack, ""}); // another thread's
      if (Copy->Returned && !compare(*Copy, C))
        return false;
      Found.Calls += isCall(*C.Function);
    }
    if (nextTraced(Cursor, C))
      return differs(Found.Calls, "(the trace goes on)", C.Function->Name);
    return Skipped ? differsInSkipped() : true;
  }

private:
  /// Moves to the next call that was traced. Before it the trace may say that calls were not traced: subtracts their
  /// number from Skipped.
  bool nextTraced(CallCursor &Cursor, Call &C) {
    while (Cursor.next(C)) {
      if (!isUntraced(*C.Function))
        return true;
      Skipped -= untracedCalls(C);
    }
    return false;
  }
  bool differsInSkipped() {
    return differs(Found.Calls, "(calls not traced)",
                   std::to_string(static_cast<int64_t>(Skipped)) + " more than in the trace");
  }
  /// Notes the objects that a call made while tracing was off. Such an object may have the name of one that is gone.
  void noteMade(const CallCopy &Copy) {
    for (size_t I = 0; I < Copy.Items.size(); I += 1 + static_cast<size_t>(Copy.Items[I] >> 16)) {
      size_t N = static_cast<size_t>(Copy.Items[I] >> 16);
      const int64_t *Words = &Copy.Items[I] + 1;
      switch (static_cast<RawType>(Copy.Items[I] >> 8 & 0xff)) {
      case RawType::MadeHandle:
      case RawType::MadeHandles:
        for (size_t J = 1; J < N; ++J)
          Unnamed.insert({static_cast<Kind>(Words[0]), static_cast<uint64_t>(Words[J])});
        break;
      case RawType::MadeRequest:
        Unnamed.insert({Kind::Request, static_cast<uint64_t>(Words[0])});
        break;
      default:
        break;
      }
    }
  }

  bool differs(uint64_t Seq, const std::string &Parameter, const std::string &Detail) {
    Found.Difference =
        "call " + std::to_string(Seq) + " parameter " + Parameter + (Detail.empty() ? "" : " (" + Detail + ")");
    return false;
  }

  bool compare(const CallCopy &Copy, const Call &C) {
    const int64_t Class = errorClass(Copy.Ret);
    if (isCall(*C.Function) && (C.Slots[0].T != Tag::Word || C.Slots[0].Words[0] != Class))
      return differs(C.Seq, "(return code)", C.Function->Name);
    for (size_t I = 0; I < Copy.Items.size();) {
      unsigned Slot = Copy.Items[I] & 0xff;
      RawType Type = static_cast<RawType>(Copy.Items[I] >> 8 & 0xff);
      size_t N = static_cast<size_t>(Copy.Items[I] >> 16);
      std::span<const int64_t> Words{Copy.Items.data() + I + 1, N};
      const ParamSchema &P = C.Function->Slots[Slot];
      std::string Why;
      if (!value(Type, Words, C.Slots[Slot], P, Why))
        return differs(C.Seq, P.Name, C.Function->Name + (Why.empty() ? "" : ": " + Why));
      I += N + 1;
    }
    return true;
  }

  bool value(RawType Type, std::span<const int64_t> Raw, const Value &V, const ParamSchema &P, std::string &Why) {
    switch (Type) {
    case RawType::Absent:
      return V.T == Tag::Absent;
    case RawType::Number:
      return number(Raw[0], V, P, Why);
    case RawType::Numbers:
      if (V.T != Tag::Array || V.Words.size() != Raw.size())
        return (Raw.empty() && V.T == Tag::Null);
      return std::equal(Raw.begin(), Raw.end(), V.Words.begin());
    case RawType::Handle:
    case RawType::MadeHandle:
      return handle(static_cast<Kind>(Raw[0]), static_cast<uint64_t>(Raw[1]), V, 0, Type == RawType::MadeHandle, Why);
    case RawType::Handles:
    case RawType::MadeHandles: {
      Kind K = static_cast<Kind>(Raw[0]);
      size_t Have = V.T == Tag::Objects ? V.Refs.size() : V.Words.size();
      if (Have != Raw.size() - 1)
        return false;
      for (size_t I = 0; I < Have; ++I)
        if (!handle(K, static_cast<uint64_t>(Raw[I + 1]), V, I, Type == RawType::MadeHandles, Why))
          return false;
      return true;
    }
    case RawType::Request:
    case RawType::MadeRequest:
      return V.T == Tag::Word && request(static_cast<uint64_t>(Raw[0]), V.Words[0], Type == RawType::MadeRequest, Why);
    case RawType::Requests:
      if (V.T != Tag::Array || V.Words.size() != Raw.size())
        return Raw.empty() && V.T == Tag::Null;
      for (size_t I = 0; I < Raw.size(); ++I)
        if (!request(static_cast<uint64_t>(Raw[I]), V.Words[I], false, Why))
          return false;
      return true;
    case RawType::Address:
      return address(Raw, V, P, Why);
    case RawType::String:
    case RawType::Sentinel: {
      if (V.T != (Type == RawType::String ? Tag::String : Tag::Name))
        return false;
      const std::string &S = View->string(V.Ref);
      return std::equal(Raw.begin(), Raw.end(), S.begin(), S.end(),
                        [](int64_t A, char B) { return A == static_cast<unsigned char>(B); });
    }
    case RawType::IgnoredStatus:
      return V.T == Tag::Name;
    case RawType::Status:
    case RawType::Statuses:
      return statuses(Raw, V, Type == RawType::Statuses, P, Why);
    }
    return false;
  }

  bool number(int64_t Raw, const Value &V, const ParamSchema &P, std::string &Why) {
    if (P.K == Kind::Address && V.T != Tag::Word) {
      int64_t Words[2] = {Raw, static_cast<int64_t>(releases().size())};
      return address(Words, V, P, Why);
    }
    if (P.K == Kind::Error)
      Raw = errorClass(Raw);
    Why = std::to_string(Raw);
    return V.T == Tag::Word && V.Words[0] == Raw;
  }

  bool handle(Kind K, uint64_t Raw, const Value &V, size_t I, bool Made, std::string &Why) {
    int64_t Id;
    std::string Name;
    if (isTableObject(K)) {
      if (V.T != Tag::Object && V.T != Tag::Objects)
        return false;
      const ObjectInfo &O = View->object(V.T == Tag::Object ? V.Ref : V.Refs[I]);
      Id = O.Id;
      Name = O.Name;
      if (O.K != K)
        return false;
    } else {
      if (V.T == Tag::Raw)
        return static_cast<uint64_t>(V.Words[0]) == Raw;
      if (V.T != Tag::Word && V.T != Tag::Array)
        return false;
      Id = V.Words[I];
      if (Id < 0 && K != Kind::Tool) {
        const std::string *Known = T.constantName(handleNames(K), Id);
        Name = Known ? *Known : "(no name)";
      }
    }
    auto Fixed = Mpi.Handles.find({K, Raw});
    // MPI_T's null handles have one value, and a name for each kind of handle: the parameter's.
    if (Fixed != Mpi.Handles.end() && K == Kind::Tool)
      return Id == Fixed->second.Code;
    if (Fixed != Mpi.Handles.end()) {
      Why = Fixed->second.Name;
      return Name == Why;
    }
    if (Name == "invalid")
      return static_cast<uint64_t>(Id) == Raw;
    return Name.empty() && bound({K, Id}, Raw, Made, Why);
  }

  bool request(uint64_t Raw, int64_t Name, bool Made, std::string &Why) {
    if (Raw == Mpi.NullRequest)
      return Name == -1;
    return Name >= 0 && bound({Kind::Request, Name}, Raw, Made, Why);
  }

  bool bound(std::pair<Kind, int64_t> Name, uint64_t Raw, bool IsMade, std::string &Why) {
    auto [It, New] = Handles.try_emplace(Name, Raw);
    bool IsUnnamed = Unnamed.erase({Name.first, Raw}) != 0;
    const std::tuple Binding{Name.first, Name.second, Raw};
    if (IsMade)
      Found.Made.insert(Binding);
    if (IsMade || !Others || (It->second != Raw && (IsUnnamed || Others->contains(Binding))))
      It->second = Raw;
    Why = "name " + std::to_string(Name.second) + " stands for another object";
    return It->second == Raw;
  }

  /// MPI_SUCCESS, which is 0 in every MPI, is its own class.
  int64_t errorClass(int64_t Code) const { return Code ? Mpi.ErrorClass(Code) : 0; }

  struct Base {
    int64_t Address;
    size_t Releases; // how many had happened
  };
  bool address(std::span<const int64_t> Raw, const Value &V, const ParamSchema &P, std::string &Why) {
    uint64_t A = static_cast<uint64_t>(Raw[0]);
    size_t Now = static_cast<size_t>(Raw[1]);
    Why = "an address";
    std::pair<Tag, std::string> Name;
    int64_t Offset;
    switch (V.T) {
    case Tag::Absent:
      return P.K == Kind::Buffer && !Mpi.HasBuffers;
    case Tag::Null:
      return A == 0;
    case Tag::Name: {
      const std::string &S = View->string(V.Ref);
      return (S == "MPI_IN_PLACE" && A == Mpi.InPlace) || (S == "MPI_BOTTOM" && A == Mpi.Bottom);
    }
    case Tag::String:
      return P.K == Kind::Function && A != 0;
    case Tag::Raw:
      return static_cast<uint64_t>(V.Words[0]) == A;
    case Tag::Heap:
    case Tag::Map:
      Name = {V.T, std::to_string(V.Words[0])};
      Offset = V.Words[1];
      break;
    case Tag::Stack:
      Name = {V.T, ""};
      Offset = V.Words[0];
      break;
    case Tag::Data:
      Name = {V.T, View->string(V.Ref)};
      Offset = V.Words[0];
      break;
    default:
      return false;
    }
    int64_t Start = static_cast<int64_t>(A) - Offset;
    auto [It, New] = Bases.try_emplace(Name, Base{Start, Now});
    if (!New && It->second.Address != Start && V.T == Tag::Heap) {
      // Another block may have the id once the first one is gone.
      for (size_t I = It->second.Releases; I < releases().size() && I <= Now; ++I)
        if (releases()[I] == static_cast<uint32_t>(V.Words[0]))
          It->second = {Start, Now};
    }
    Why = "segment " + Name.second + " is elsewhere";
    return It->second.Address == Start;
  }

  bool statuses(std::span<const int64_t> Raw, const Value &V, bool Many, const ParamSchema &P, std::string &Why) {
    if (V.T == Tag::Absent && !Many)
      return false;
    if (V.T != (Many ? Tag::Statuses : Tag::Status) || V.Words.size() != Raw.size())
      return false;
    for (size_t I = 0; I < Raw.size(); I += StatusWords) {
      if (V.Words[I] == NoStatus)
        continue; // of a send: it means nothing
      Why = P.Name + "[" + std::to_string(I / StatusWords) + "]";
      // Of a file operation only the size has a meaning, and source and tag are not kept.
      bool File = V.Words[I] == 0 && V.Words[I + 1] == 0 && (Raw[I] != 0 || Raw[I + 1] != 0);
      if (V.Words[I + 2] != Raw[I + 2] || (V.Words[I + 3] & 1) != Raw[I + 3] ||
          (!File && (V.Words[I] != Raw[I] || V.Words[I + 1] != Raw[I + 1])))
        return false;
    }
    return true;
  }

  const Trace &T;
  std::shared_ptr<const RankView> View;
  const MpiValues &Mpi;
  const Bindings *Others;
  std::map<std::pair<Kind, int64_t>, uint64_t> Handles;
  std::set<std::pair<Kind, uint64_t>> Unnamed; ///< objects made while tracing was off, and not met since
  uint64_t Skipped = 0; ///< calls that were not traced, less those that the trace has counted so far
  std::map<std::pair<Tag, std::string>, Base> Bases;
  unsigned Owner = 0;
};
} // namespace

Comparison compareCalls(const Trace &T, std::shared_ptr<const RankView> View, const CallLog &Log, const MpiValues &Mpi,
                        const Bindings *Others) {
  Comparer C(T, std::move(View), Mpi, Others);
  C.run(Log);
  return std::move(C.Found);
}

} // namespace pilgrim
