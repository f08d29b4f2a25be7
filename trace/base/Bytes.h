//===- Bytes.h - byte strings of the trace format ---------------*- C++ -*-===//
//
// Writes and reads the format's primitive values: fixed-width little-endian integers, LEB128 varints and zigzag
// varints. The reader trusts nothing: after the first value that does not fit, `ok()` is false and every further read
// gives zero, so a parser checks once per record instead of once per field. The reader keeps the reason of the first
// failure: the input is damaged, or it stands for more than a reader accepts.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_BASE_BYTES_H
#define PILGRIM_TRACE_BASE_BYTES_H

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pilgrim {

class ChunkBytes;

inline uint64_t zigzag(int64_t V) { return (static_cast<uint64_t>(V) << 1) ^ static_cast<uint64_t>(V >> 63); }
inline int64_t unzigzag(uint64_t V) { return static_cast<int64_t>(V >> 1) ^ -static_cast<int64_t>(V & 1); }

class ByteWriter {
public:
  std::vector<uint8_t> Data;
  /// What is written is read once, by a rank that joins it with what it has. So nobody looks for the form with the
  /// fewest bytes.
  bool IsInTransit = false;

  void byte(uint8_t B) { Data.push_back(B); }
  void u32(uint32_t V) {
    for (int I = 0; I < 4; ++I)
      Data.push_back(static_cast<uint8_t>(V >> (8 * I)));
  }
  void u64(uint64_t V) {
    for (int I = 0; I < 8; ++I)
      Data.push_back(static_cast<uint8_t>(V >> (8 * I)));
  }
  void varint(uint64_t V) {
    for (; V >= 0x80; V >>= 7)
      Data.push_back(static_cast<uint8_t>(V) | 0x80);
    Data.push_back(static_cast<uint8_t>(V));
  }
  void svarint(int64_t V) { varint(zigzag(V)); }
  void bytes(std::span<const uint8_t> B) { Data.insert(Data.end(), B.begin(), B.end()); }
  /// Length, then the bytes.
  void blob(std::span<const uint8_t> B) {
    varint(B.size());
    bytes(B);
  }
  void string(std::string_view S) { blob({reinterpret_cast<const uint8_t *>(S.data()), S.size()}); }
};

/// What X.write() writes. Where there are several ways to say one thing, the one with the fewest bytes is written; what
/// will be packed, or is not written yet, has a measure of its own (entropyOf(), GrammarData::symbols()).
template <typename T, typename... Options> std::vector<uint8_t> bytesOf(const T &X, const Options &...O) {
  ByteWriter W;
  W.Data.reserve(64); // mostly enough
  X.write(W, O...);
  return std::move(W.Data);
}

/// A value that a reader read, and where.
struct ByteToken {
  enum Kind : uint8_t { Varint, Signed, Byte, Raw } K;
  size_t At, Size;
  uint64_t Value; ///< of Raw: nothing; of Signed: the value, not its code
  int64_t number() const { return static_cast<int64_t>(Value); }
};

class ByteReader {
public:
  static constexpr uint64_t DefaultMemory = uint64_t(1) << 28;

  /// What chunks refer to (trace/sequences/Chunk.h); null: there are none.
  std::shared_ptr<const ChunkBytes> Chunks;
  /// If not null, gets all values that are read.
  std::vector<ByteToken> *Tokens = nullptr;

  /// Memory: bytes of memory that may be spent, see spend(). MemoryLimit: the bytes before anything was spent, which
  /// error messages name; 0: the same as Memory.
  explicit ByteReader(std::span<const uint8_t> Data, uint64_t Memory = DefaultMemory, uint64_t MemoryLimit = 0)
      : Data(Data), Budget(Memory), MemoryLimit(MemoryLimit ? MemoryLimit : Memory) {}

  bool ok() const { return Good; }
  bool atEnd() const { return Pos == Data.size(); }
  /// The position of the next read, or of the first failure.
  size_t offset() const { return Good ? Pos : FailedAt; }
  size_t remaining() const { return Data.size() - Pos; }
  /// Notes that the input is damaged. Reason: a short text with static lifetime. Only the first failure is kept.
  void fail(const char *Reason = "a value is out of range") {
    if (Good) {
      FailedAt = Pos;
      Why = Reason;
    }
    Good = false;
    Pos = Data.size();
  }
  /// Notes that the input exceeds a limit of the reader, although it may be sound. What: a short text with static
  /// lifetime, with the unit of Limit.
  void failTooLarge(const char *What, uint64_t Limit) {
    if (Good) {
      TooLarge = true;
      Max = Limit;
    }
    fail(What);
  }
  /// About the failure: whether the reader's limit() was exceeded, the limit, and the reason or the limited quantity.
  bool isTooLarge() const { return TooLarge; }
  uint64_t limit() const { return Max; }
  const char *reason() const { return Why; }

  /// Whether the next byte is B.
  bool isNext(uint8_t B) const { return Pos < Data.size() && Data[Pos] == B; }
  uint8_t byte() {
    const uint8_t B = next();
    note(ByteToken::Byte, 1, B);
    return B;
  }
  uint32_t u32() { return static_cast<uint32_t>(fixed(4)); }
  uint64_t u64() { return fixed(8); }
  uint64_t varint() {
    uint64_t V = 0;
    for (unsigned Shift = 0; Shift < 64; Shift += 7) {
      uint8_t B = next();
      if (Shift == 63 && B > 1)
        break;
      V |= static_cast<uint64_t>(B & 0x7f) << Shift;
      if (!(B & 0x80)) {
        note(ByteToken::Varint, Shift / 7 + 1, V);
        return V;
      }
    }
    fail("a varint is too long");
    return 0;
  }
  int64_t svarint() {
    const int64_t V = unzigzag(varint());
    if (Tokens && Good) [[unlikely]] {
      Tokens->back().K = ByteToken::Signed;
      Tokens->back().Value = static_cast<uint64_t>(V);
    }
    return V;
  }
  /// A varint that must be below or equal to Max.
  uint64_t varintMax(uint64_t Max, const char *Reason = "a value is out of range") {
    uint64_t V = varint();
    if (V > Max) {
      fail(Reason);
      return 0;
    }
    return V;
  }
  /// The number of items that follow, each at least MinBytes long. Larger numbers than the remaining bytes allow are
  /// damage.
  size_t count(size_t MinBytes = 1) { return varintMax(remaining() / MinBytes, "more is counted than bytes are left"); }
  std::span<const uint8_t> bytes(size_t N) {
    if (N > remaining()) {
      fail(EndsEarly);
      return {};
    }
    auto S = Data.subspan(Pos, N);
    Pos += N;
    note(ByteToken::Raw, N, 0);
    return S;
  }
  /// The bytes read since offset() was Begin.
  std::span<const uint8_t> since(size_t Begin) const { return Data.subspan(Begin, Pos - Begin); }
  std::span<const uint8_t> blob() { return bytes(varint()); }
  /// Accounts for Bytes of memory that a smaller number of input bytes stands for, so that a damaged file cannot use up
  /// the memory.
  void spend(uint64_t Bytes) {
    if (Bytes > Budget)
      failTooLarge("bytes of memory", MemoryLimit);
    else
      Budget -= Bytes;
  }
  uint64_t memoryLeft() const { return Budget; }
  std::string string() {
    auto B = blob();
    return {reinterpret_cast<const char *>(B.data()), B.size()};
  }

private:
  uint8_t next() {
    if (Pos >= Data.size()) {
      fail(EndsEarly);
      return 0;
    }
    return Data[Pos++];
  }
  /// Size: of the value, which ends where the next one begins.
  void note(ByteToken::Kind K, size_t Size, uint64_t Value) {
    if (Tokens && Good) [[unlikely]]
      Tokens->push_back({K, Pos - Size, Size, Value});
  }
  uint64_t fixed(unsigned N) {
    auto B = bytes(N);
    uint64_t V = 0;
    for (size_t I = 0; I < B.size(); ++I)
      V |= static_cast<uint64_t>(B[I]) << (8 * I);
    return V;
  }

  static constexpr char EndsEarly[] = "it ends early";

  std::span<const uint8_t> Data;
  size_t Pos = 0, FailedAt = 0;
  uint64_t Budget, MemoryLimit;
  uint64_t Max = 0; ///< the limit that was exceeded
  const char *Why = "";
  bool Good = true, TooLarge = false;
};

} // namespace pilgrim

#endif
