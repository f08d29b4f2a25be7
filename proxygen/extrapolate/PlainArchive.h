//===- PlainArchive.h - lists of numbers, written and read -------*- C++ -*-===//
//
// What describes a trace calls the same functions of both: PlainWriter makes lists of what it is given, PlainReader
// sets it to what the lists say (internal to PlainTrace.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_EXTRAPOLATE_PLAINARCHIVE_H
#define PILGRIM_PROXYGEN_EXTRAPOLATE_PLAINARCHIVE_H

#include "proxygen/extrapolate/PlainTrace.h"
#include "proxygen/extrapolate/ProcessArrays.h"

namespace pilgrim {

/// Values of what is written to bytes and read from them by From: how many, and then each.
template <typename T, typename Read> std::vector<PlainValue> valuesOf(const T &X, Read &&From) {
  ByteWriter W;
  X.write(W);
  std::vector<ByteToken> Tokens;
  ByteReader R(W.Data);
  R.Tokens = &Tokens;
  From(R);
  std::vector<PlainValue> Out{{PlainValue::Fixed, 0}};
  for (const ByteToken &Y : Tokens)
    if (Y.K == ByteToken::Raw)
      for (size_t I = 0; I < Y.Size; ++I)
        Out.push_back({PlainValue::Fixed, W.Data[Y.At + I]});
    else
      Out.push_back({Y.K == ByteToken::Byte     ? PlainValue::Fixed
                     : Y.K == ByteToken::Varint ? PlainValue::Natural
                                                : PlainValue::Whole,
                     Y.number()});
  Out[0].V = static_cast<int64_t>(Out.size() - 1);
  return Out;
}

/// The bytes that values stand for.
inline void write(ByteWriter &W, const PlainValue &V) {
  if (V.K == PlainValue::Whole)
    W.svarint(V.V);
  else if (V.K == PlainValue::Natural)
    W.varint(static_cast<uint64_t>(V.V));
  else
    W.byte(static_cast<uint8_t>(V.V));
}

class PlainWriter {
public:
  explicit PlainWriter(std::vector<PlainList> &Lists) : Lists(Lists) {}

  /// Where the following lists belong to.
  void place(std::string What) {
    Where = std::move(What);
    Single = false;
  }
  template <typename T> void fixed(T &V) { add(PlainValue::Fixed, static_cast<int64_t>(V)); }
  template <typename T> void natural(T &V) { add(PlainValue::Natural, static_cast<int64_t>(V)); }
  void whole(int64_t &V) { add(PlainValue::Whole, V); }
  /// A value that is written to bytes and read from them, and how else it is known.
  template <typename T, typename Read> void coded(T &X, Read &&From, PlainPart Part) {
    PlainRecord &Record = open();
    const std::vector<PlainValue> Values = valuesOf(X, From);
    Part.From = Record.Values.size();
    Part.Size = Values.size();
    Record.Values.insert(Record.Values.end(), Values.begin(), Values.end());
    Record.Parts.push_back(std::move(Part));
  }
  /// As many on all numbers of ranks.
  template <typename T, typename Fn> void each(std::vector<T> &L, Fn &&F) {
    size_t N = L.size();
    fixed(N);
    for (T &X : L)
      F(X);
  }
  template <typename Fn> void each(Entry &E, Fn &&F) {
    size_t N = E.size();
    fixed(N);
    for (Variant &V : E.own())
      F(V);
  }
  template <typename K, typename V, typename Key, typename Fn> void each(std::map<K, V> &M, Key &&OfKey, Fn &&F) {
    size_t N = M.size();
    fixed(N);
    for (auto &[Name, X] : M) {
      K Copy = Name;
      OfKey(Copy);
      F(Copy, X);
    }
  }
  /// Maybe more on more ranks. F adds to the element's record alone.
  template <typename T, typename Fn> void list(std::vector<T> &L, Fn &&F) {
    Lists.push_back({Where, {}});
    Single = true;
    for (T &X : L) {
      Lists.back().Records.emplace_back();
      F(X);
    }
    Single = false;
  }
  template <typename T> void clear(std::vector<T> &) {}
  template <typename T> T &element(std::vector<T> &L, size_t I) { return L[I]; }
  void expand(const std::vector<ElementRun> &, const ProcessArray &, uint32_t, std::vector<RankFn> &) {}
  void function(uint32_t Id) { Lists.back().Records.back().Function = Id; }
  void noChunks(bool None) { HasChunks |= !None; }
  bool hasChunks() const { return HasChunks; }

private:
  PlainRecord &open() {
    if (!Single)
      Lists.push_back({Where, std::vector<PlainRecord>(1)});
    Single = true;
    return Lists.back().Records.back();
  }
  void add(PlainValue::Kind K, int64_t V) { open().Values.push_back({K, V}); }

  std::vector<PlainList> &Lists;
  std::string Where;
  bool Single = false; ///< whether the last record may be added to
  bool HasChunks = false;
};

class PlainReader {
public:
  explicit PlainReader(const std::vector<PlainList> &Lists) : Lists(Lists) {}
  bool ok() const { return Good; }
  /// Of what the first number is that is out of its range.
  std::string where(const TraceData &Like) const {
    if (!BadAt || BadAt > Lists.size())
      return "something";
    const PlainList &L = Lists[BadAt - 1];
    const auto F =
        BadRecord < L.Records.size() ? Like.Functions.find(L.Records[BadRecord].Function) : Like.Functions.end();
    return F == Like.Functions.end() ? L.Where : "a parameter of " + F->second.Name;
  }

  void place(const std::string &) { Single = false; }
  template <typename T> void fixed(T &V) { number(V); }
  template <typename T> void natural(T &V) { number(V); }
  void whole(int64_t &V) { number(V); }
  template <typename T, typename Read> void coded(T &X, Read &&From, const PlainPart &) {
    size_t Values = 0;
    fixed(Values);
    ByteWriter W;
    while (Good && Values--)
      write(W, next());
    ByteReader R(W.Data);
    X = From(R);
    require(R.ok() && R.atEnd());
  }
  template <typename List, typename Fn> void each(List &L, Fn &&F) {
    size_t N = 0;
    fixed(N);
    L.clear();
    for (; N-- && Good;)
      F(L.emplace_back());
  }
  template <typename K, typename V, typename Key, typename Fn> void each(std::map<K, V> &M, Key &&OfKey, Fn &&F) {
    size_t N = 0;
    fixed(N);
    M.clear();
    for (; N-- && Good;) {
      K Name{};
      OfKey(Name);
      F(Name, M[Name]);
    }
  }
  template <typename T, typename Fn> void list(std::vector<T> &L, Fn &&F) {
    open();
    const size_t N = Good ? Lists[At - 1].Records.size() : 0;
    L.clear();
    for (Record = 0; Record < N && Good; ++Record) {
      Value = 0;
      F(L.emplace_back());
      require(Value == Lists[At - 1].Records[Record].Values.size());
    }
    Single = false;
  }
  template <typename T> void clear(std::vector<T> &L) { L.clear(); }
  template <typename T> T &element(std::vector<T> &L, size_t) { return L.emplace_back(); }
  void expand(const std::vector<ElementRun> &Runs, const ProcessArray &X, uint32_t World, std::vector<RankFn> &To) {
    for (const ElementRun &R : Runs)
      require(Good && To.size() - X.FirstWord <= World && append(R, World, To));
    require(To.size() == X.FirstWord + X.Length);
  }
  void function(uint32_t) {}
  void noChunks(bool) {}

private:
  void require(bool IsGood) {
    if (IsGood || !Good)
      return;
    Good = false;
    BadAt = At;
    BadRecord = Record;
  }
  void open() {
    require(At < Lists.size());
    ++At;
    Record = Value = 0;
    Single = true;
  }
  PlainValue next() {
    if (!Single)
      open();
    if (!Good || Value >= Lists[At - 1].Records[Record].Values.size()) {
      require(false);
      return {PlainValue::Fixed, 0};
    }
    return Lists[At - 1].Records[Record].Values[Value++];
  }
  template <typename T> void number(T &V) {
    const int64_t N = next().V;
    V = static_cast<T>(N);
    require(static_cast<int64_t>(V) == N);
  }

  const std::vector<PlainList> &Lists;
  size_t At = 0, Record = 0, Value = 0; ///< At: lists that were begun
  size_t BadAt = 0, BadRecord = 0;      ///< where they were when Good ended
  bool Single = false, Good = true;
};

} // namespace pilgrim

#endif
