//===- TypeExtents.cpp - where the data of datatypes lie ------------------===//
#include "proxygen/TypeExtents.h"

#include <algorithm>
#include <array>
#include <bit>

namespace pilgrim {

void ByteSpan::include(ByteSpan Other) {
  if (Other.isEmpty())
    return;
  *this = isEmpty() ? Other : ByteSpan{std::min(First, Other.First), std::max(End, Other.End)};
}

const Value *slotNamed(const Call &C, std::string_view Name) {
  for (size_t I = 1; I < C.Slots.size() && I < C.Function->Slots.size(); ++I)
    if (C.Function->Slots[I].Name == Name)
      return &C.Slots[I];
  return nullptr;
}

int64_t wordOf(const Value *V, size_t Index, int64_t Default) {
  return V && (V->T == Tag::Word || V->T == Tag::Array) && Index < V->Words.size() ? V->Words[Index] : Default;
}

namespace {
/// Bounds that grow block by block.
struct Bounds {
  TypeExtent T;
  bool HasAny = false;
  /// Blocks of Count elements of Type, one element after the other, at Displacement bytes.
  void add(const TypeExtent &Type, int64_t Count, int64_t Displacement) {
    if (Count <= 0)
      return;
    const int64_t Last = (Count - 1) * Type.extent();
    const int64_t Lb = Displacement + Type.Lb + std::min<int64_t>(Last, 0);
    const int64_t Ub = Displacement + Type.Ub + std::max<int64_t>(Last, 0);
    T.Lb = HasAny ? std::min(T.Lb, Lb) : Lb;
    T.Ub = HasAny ? std::max(T.Ub, Ub) : Ub;
    T.Align = std::max(T.Align, Type.Align);
    ByteSpan Data = TypeExtents::span(Type, Count);
    T.Data.include({Data.First + Displacement, Data.End + Displacement});
    HasAny = true;
  }
};
} // namespace

ByteSpan TypeExtents::span(const TypeExtent &T, int64_t Count) {
  if (Count <= 0 || T.Data.isEmpty())
    return {};
  const int64_t Last = (Count - 1) * T.extent();
  return {T.Data.First + std::min<int64_t>(Last, 0), T.Data.End + std::max<int64_t>(Last, 0)};
}

TypeExtent TypeExtents::of(const ObjectInfo &Type) const {
  if (Type.Name.empty())
    if (auto It = Known.find(Type.Id); It != Known.end())
      return It->second;
  // Predefined pairs have gaps: MPI_DOUBLE_INT has 12 bytes and takes 16. Of a datatype from elsewhere only the size is
  // known.
  TypeExtent T;
  const int64_t Size = std::max<int64_t>(Type.Size, 0);
  T.Ub = Type.Name.empty() || !Size ? Size : static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(Size)));
  T.Data = {0, T.Ub};
  // Complex numbers and pairs of equal numbers are aligned as one of these.
  const bool IsPair = Type.Name.find("COMPLEX") != std::string::npos || Type.Name.starts_with("MPI_2");
  T.Align = std::clamp<int64_t>(IsPair ? T.Ub / 2 : T.Ub, 1, 16);
  return T;
}

TypeExtent TypeExtents::typeOf(const Call &C, std::string_view Name, size_t Index) const {
  const Value *V = slotNamed(C, Name);
  if (V && V->T == Tag::Object && !Index)
    return of(C.View->object(*V));
  if (V && V->T == Tag::Objects && Index < V->Refs.size())
    return of(C.View->object(*V, Index));
  return {};
}

/// A part of an array: between the bounds of the whole array, its first element to its last one (MPI 4.0,
/// sections 5.1.3 and 5.1.4).
TypeExtent TypeExtents::arrayOf(const Call &C, const TypeExtent &Old) const {
  const auto Get = [&](std::string_view Name, size_t I = 0) { return wordOf(slotNamed(C, Name), I); };
  const auto Is = [&](std::string_view Key, int64_t V, std::string_view Constant) {
    const auto It = Names->find({std::string(Key), V});
    return It != Names->end() && It->second == Constant;
  };
  const bool IsSub = slotNamed(C, "array_of_subsizes");
  const auto Dimensions = static_cast<size_t>(std::clamp<int64_t>(Get("ndims"), 0, 64));
  int64_t Rank = Get("rank"), Elements = 1, First = 0, Last = 0;
  std::vector<std::array<int64_t, 3>> Parts(Dimensions); // size; first and last index
  for (size_t D = Dimensions; D-- > 0;) {
    const int64_t Size = Get(IsSub ? "array_of_sizes" : "array_of_gsizes", D);
    int64_t From = 0, To = Size;
    if (IsSub) {
      From = Get("array_of_starts", D);
      To = From + Get("array_of_subsizes", D);
    } else {
      // Processes are counted with the last dimension fastest, whatever the order of elements.
      const int64_t Processes = std::max<int64_t>(Get("array_of_psizes", D), 1), At = Rank % Processes;
      Rank /= Processes;
      const int64_t Way = Get("array_of_distribs", D), Given = Get("array_of_dargs", D);
      const bool IsBlock = Is("distrib", Way, "MPI_DISTRIBUTE_BLOCK");
      if (IsBlock || Is("distrib", Way, "MPI_DISTRIBUTE_CYCLIC")) {
        const bool IsGiven = Given > 0 && !Is("darg", Given, "MPI_DISTRIBUTE_DFLT_DARG");
        const int64_t Block = IsGiven ? Given : IsBlock ? (Size + Processes - 1) / Processes : 1;
        From = At * Block;
        // The last block of this process, of all that there are.
        const int64_t Blocks = (Size + Block - 1) / Block, Later = (Blocks - 1 - At) / Processes * Processes;
        To = std::min(Size, (At + (IsBlock || Later < 0 ? 0 : Later) + 1) * Block);
      }
    }
    Parts[D] = {Size, From, To - 1};
    Elements *= std::max<int64_t>(To - From, 0);
  }
  if (!Is("order", Get("order"), "MPI_ORDER_FORTRAN"))
    std::reverse(Parts.begin(), Parts.end());
  int64_t Stride = Old.extent();
  for (const auto &[Size, From, To] : Parts) {
    First += From * Stride;
    Last += To * Stride;
    Stride *= Size;
  }
  TypeExtent T{0, Stride, {}, Old.Align};
  if (Elements > 0 && !Old.Data.isEmpty())
    T.Data = {Old.Data.First + std::min(First, Last), Old.Data.End + std::max(First, Last)};
  return T;
}

/// What a constructor makes (MPI 4.0, section 5.1.2 and following).
TypeExtent TypeExtents::made(const Call &C, std::string_view Function) const {
  auto Get = [&](std::string_view Name, size_t I = 0) { return wordOf(slotNamed(C, Name), I); };
  const TypeExtent Old = typeOf(C, "oldtype");
  const int64_t Count = Get("count"), Length = Get("blocklength");
  auto Is = [&](std::string_view A, std::string_view B = "?") { return Function == A || Function == B; };
  Bounds B;
  if (Is("MPI_Type_dup", "MPI_Type_commit"))
    return Old;
  if (Is("MPI_Type_contiguous")) {
    B.add(Old, Count, 0);
  } else if (Is("MPI_Type_vector") || Is("MPI_Type_create_hvector", "MPI_Type_hvector")) {
    const int64_t Stride = Get("stride") * (Is("MPI_Type_vector") ? Old.extent() : 1);
    if (Count > 0) {
      B.add(Old, Length, 0);
      B.add(Old, Length, (Count - 1) * Stride);
    }
  } else if (Is("MPI_Type_indexed", "MPI_Type_create_indexed_block") ||
             Is("MPI_Type_create_hindexed", "MPI_Type_hindexed") || Is("MPI_Type_create_hindexed_block")) {
    const bool InElements = Is("MPI_Type_indexed", "MPI_Type_create_indexed_block");
    const bool HasLengths = slotNamed(C, "array_of_blocklengths");
    for (int64_t I = 0; I < Count; ++I) {
      const size_t At = static_cast<size_t>(I);
      const int64_t Place = Get("array_of_displacements", At);
      if (Place < FirstAddress)
        B.add(Old, HasLengths ? Get("array_of_blocklengths", At) : Length, Place * (InElements ? Old.extent() : 1));
    }
  } else if (Is("MPI_Type_create_struct", "MPI_Type_struct")) {
    for (int64_t I = 0; I < Count; ++I) {
      const size_t At = static_cast<size_t>(I);
      if (const int64_t Place = Get("array_of_displacements", At); Place < FirstAddress)
        B.add(typeOf(C, "array_of_types", At), Get("array_of_blocklengths", At), Place);
    }
    const int64_t Over = (B.T.Ub - B.T.Lb) % B.T.Align;
    B.T.Ub += Over ? B.T.Align - Over : 0;
  } else if (Is("MPI_Type_create_subarray", "MPI_Type_create_darray")) {
    return arrayOf(C, Old);
  } else if (Is("MPI_Type_create_resized")) {
    TypeExtent T = Old;
    T.Lb = Get("lb");
    T.Ub = T.Lb + Get("extent");
    return T;
  } else {
    // A function that gives a datatype whose content is not said: MPI_Type_match_size, MPI_Type_get_contents...
    return {};
  }
  return B.T;
}

bool TypeExtents::follow(const Call &C) {
  const std::string &Name = C.Function->Name;
  if (C.result() != 0 || !isCall(*C.Function))
    return false;
  const auto &Schema = C.Function->Slots;
  for (size_t I = 1; I < C.Slots.size() && I < Schema.size(); ++I) {
    if (Schema[I].K != Kind::Datatype || !Schema[I].IsOutput || C.Slots[I].T != Tag::Object)
      continue;
    const ObjectInfo &Type = C.View->object(C.Slots[I].Ref);
    if (!Type.Name.empty() || Name == "MPI_Type_commit" || Name == "MPI_Type_commit_c")
      return false;
    if (Name == "MPI_Type_free") {
      Known.erase(Type.Id);
      return true;
    }
    std::string_view Function = Name;
    if (Function.ends_with("_c"))
      Function.remove_suffix(2);
    TypeExtent T = made(C, Function);
    if (T.Ub == 0 && T.Data.isEmpty())
      Known.erase(Type.Id);
    else
      Known[Type.Id] = T;
    return true;
  }
  return false;
}

} // namespace pilgrim
