//===- CompareCall.h - one call and its plain copy ---------------*- C++ -*-===//
#ifndef PILGRIM_VERIFY_COMPARECALL_H
#define PILGRIM_VERIFY_COMPARECALL_H

#include "verify/CallCopies.h"
#include "verify/CompareAddress.h"
#include "verify/Names.h"

namespace pilgrim {

/// Compares the calls of one thread with their copies, in order: the parameters, what names in them mean, and the
/// sites.
class CallComparer {
public:
  CallComparer(const Trace &T, const RankView &View, const MpiValues &Mpi, Names &Named)
      : T(T), View(View), Mpi(Mpi), Named(Named), Addresses(View, Mpi) {}
  /// Returns what differs, the name of the parameter first; empty if nothing does.
  std::string compare(const CallCopy &Copy, const Call &C);

private:
  bool isSite(const CallCopy &Copy, const Call &C) const;
  /// Whether the times of the call are within the bounds that the trace says it has; Why: which ones are not.
  bool times(const CallCopy &Copy, const Call &C, std::string &Why) const;
  bool value(RawType Type, std::span<const int64_t> Raw, const Value &V, const ParamSchema &P, std::string &Why);
  bool text(Tag Wanted, std::span<const int64_t> Raw, const Value &V) const;
  bool numbers(std::span<const int64_t> Raw, const Value &V, const ParamSchema &P) const;
  bool handles(Kind K, std::span<const int64_t> Raw, const Value &V, bool IsArray, std::string &Why);
  bool tableObject(Kind K, std::span<const int64_t> Raw, const ObjectInfo &O, std::string &Why);
  bool otherObject(Kind K, std::span<const int64_t> Raw, int64_t Id, std::string &Why);
  bool request(int64_t Serial, int64_t Name, std::string &Why);
  bool statuses(std::span<const int64_t> Raw, const Value &V, std::string &Why) const;
  /// MPI_SUCCESS, which is 0 in every MPI, is its own class.
  int64_t errorClass(int64_t Code) const { return Code ? Mpi.ErrorClass(Code) : 0; }

  const Trace &T;
  const RankView &View;
  const MpiValues &Mpi;
  Names &Named;
  AddressNames Addresses;
  unsigned Owner = 0;
  RequestUse Now; ///< the call that is compared
};

} // namespace pilgrim

#endif
