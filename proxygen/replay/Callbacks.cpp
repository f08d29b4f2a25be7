//===- Callbacks.cpp - functions of the user that MPI calls ---------------===//
#include "proxygen/replay/Callbacks.h"
#include "proxygen/replay/Untraced.h"

#include <array>
#include <utility>

namespace pilgrim {

static thread_local CallbackListener *Listener;

void setCallbackListener(CallbackListener *L) { Listener = L; }

/// The number keeps functions of one kind apart for the linker, too.
static int tell(unsigned Number, MPI_Status *Status = nullptr) {
  asm volatile("" : : "r"(Number));
  return Listener ? Listener->calledBack(Status) : MPI_SUCCESS;
}

namespace {
template <unsigned I> struct Functions {
  static void reduction(void *, void *, int *, MPI_Datatype *) { tell(I); }
#if MPI_VERSION >= 4
  static void reductionLarge(void *, void *, MPI_Count *, MPI_Datatype *) { tell(I); }
  static int conversionLarge(void *, MPI_Datatype, MPI_Count, void *, MPI_Offset, void *) { return tell(I); }
#endif
  template <typename Object> static int copy(Object, int, void *, void *In, void *Out, int *Flag) {
    *static_cast<void **>(Out) = In;
    *Flag = 1;
    return tell(I);
  }
  template <typename Object> static int remove(Object, int, void *, void *) { return tell(I); }
  template <typename Object> static void error(Object *, int *, ...) { tell(I); }
  static int query(void *, MPI_Status *Status) {
    // What MPI wants to know; the recorded calls may say more.
    PILGRIM_UNTRACED(PMPI_Status_set_elements)(Status, MPI_BYTE, 0);
    PILGRIM_UNTRACED(PMPI_Status_set_cancelled)(Status, 0);
    Status->MPI_SOURCE = MPI_UNDEFINED;
    Status->MPI_TAG = MPI_UNDEFINED;
    return tell(I, Status);
  }
  static int free(void *) { return tell(I); }
  static int cancel(void *, int) { return tell(I); }
  static int conversion(void *, MPI_Datatype, int, void *, MPI_Offset, void *) { return tell(I); }
  static int extent(MPI_Datatype Type, MPI_Aint *Extent, void *) {
    MPI_Aint Lb;
    PILGRIM_UNTRACED(PMPI_Type_get_extent)(Type, &Lb, Extent);
    return tell(I);
  }
};

using Address = const void *;
template <typename F> Address addressOf(F *Function) { return reinterpret_cast<Address>(Function); }

template <unsigned I> Address functionOf(Callback Kind) {
  using F = Functions<I>;
  switch (Kind) {
  case Callback::Reduction:
    return addressOf(&F::reduction);
#if MPI_VERSION >= 4
  case Callback::ReductionLarge:
    return addressOf(&F::reductionLarge);
  case Callback::ConversionLarge:
    return addressOf(&F::conversionLarge);
#endif
  case Callback::CopyComm:
    return addressOf(&F::template copy<MPI_Comm>);
  case Callback::CopyType:
    return addressOf(&F::template copy<MPI_Datatype>);
  case Callback::CopyWin:
    return addressOf(&F::template copy<MPI_Win>);
  case Callback::DeleteComm:
    return addressOf(&F::template remove<MPI_Comm>);
  case Callback::DeleteType:
    return addressOf(&F::template remove<MPI_Datatype>);
  case Callback::DeleteWin:
    return addressOf(&F::template remove<MPI_Win>);
  case Callback::CommError:
    return addressOf(&F::template error<MPI_Comm>);
  case Callback::WinError:
    return addressOf(&F::template error<MPI_Win>);
  case Callback::FileError:
    return addressOf(&F::template error<MPI_File>);
  case Callback::Query:
    return addressOf(&F::query);
  case Callback::Free:
    return addressOf(&F::free);
  case Callback::Cancel:
    return addressOf(&F::cancel);
  case Callback::Conversion:
    return addressOf(&F::conversion);
  case Callback::Extent:
    return addressOf(&F::extent);
  default:
    return nullptr;
  }
}

template <size_t... I> constexpr auto makers(std::index_sequence<I...>) {
  return std::array<Address (*)(Callback), sizeof...(I)>{&functionOf<I>...};
}
} // namespace

const void *callbackFunction(Callback Kind, unsigned Number) {
  static constexpr auto Makers = makers(std::make_index_sequence<MostCallbacks>());
  return Makers[Number % MostCallbacks](Kind);
}

} // namespace pilgrim
