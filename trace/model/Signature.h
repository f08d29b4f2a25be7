//===- Signature.h - the encoded form of a call -----------------*- C++ -*-===//
//
// A signature is a function with all its encoded arguments: *tokens* say the
// shape (which function, site, kinds of value, references to strings and
// objects), *words* are the integers in it. Two ranks make the same call if the
// tokens are equal; the words become functions of the rank. Tokens in order:
//
//   function id, site + 1 (0: unknown), depth, then per slot of the function's
//   schema a Tag and what the tag needs.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MODEL_SIGNATURE_H
#define PILGRIM_TRACE_MODEL_SIGNATURE_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pilgrim {

/// What stands in a slot. The numbers are part of the format.
enum class Tag : uint8_t {
  Absent = 0,    ///< no value: not significant here, or the call failed
  Null = 1,      ///< a NULL pointer
  Name = 2,      ///< a constant by name, such as MPI_IN_PLACE; token: string
  Word = 3,      ///< 1 word
  Array = 4,     ///< token: length; that many words
  String = 5,    ///< token: string
  Object = 6,    ///< token: object
  Objects = 7,   ///< token: length, then that many objects
  Heap = 8,      ///< words: segment (SegmentName.h), offset
  Stack = 9,     ///< word: offset from the top of the thread's stack
  Data = 10,     ///< token: string (module); word: offset
  Map = 11,      ///< words: mapping, offset
  Raw = 12,      ///< word: an address of unknown origin
  Status = 13,   ///< StatusWords words: source, tag, bytes, error class * 2 +
                 ///< cancelled
  Statuses = 14, ///< token: length; StatusWords words each
  Stream = 15, ///< token: the tag of the values in the streams, then for Data the string, for Object the object. Where
               ///< these have lengths, column 0 is their stream; the elements' columns follow. Those of a String are
               ///< its bytes. Of an Object, which is a datatype, its sizes are in the stream; so are those of Objects,
               ///< whose length and objects stand here, too. Of an object that has a size itself it is the same.
};
constexpr unsigned NumTags = 16;
constexpr unsigned StatusWords = 4;
/// Region of a Map: the main thread's stack, in a call of another thread. Offsets count from its top.
constexpr int64_t MainStackRegion = -1;
/// Size of a datatype whose sizes are in a stream.
constexpr int64_t SizeInStream = -1;
/// Source of a status that was not recorded (of a send, an inactive request). The other words have no meaning.
constexpr int64_t NoStatus = INT64_MIN;
/// Source of a status that says a size and no message (of a file operation). Its tag has no meaning.
constexpr int64_t SizeAlone = -64;

/// Whether each streamed value of this tag has a length of its own.
constexpr bool hasLength(Tag T) {
  return T == Tag::Array || T == Tag::Objects || T == Tag::Statuses || T == Tag::String;
}

/// Number of columns that a value of this tag takes when it is streamed; 0: the tag cannot be streamed.
constexpr unsigned streamColumns(Tag T) {
  switch (T) {
  case Tag::Word:
  case Tag::Stack:
  case Tag::Data:
  case Tag::Raw:
  case Tag::Object:
    return 1;
  case Tag::Heap:
  case Tag::Map:
  case Tag::Array:
  case Tag::Objects:
  case Tag::String:
    return 2;
  case Tag::Status:
    return StatusWords;
  case Tag::Statuses:
    return 1 + StatusWords;
  default:
    return 0;
  }
}

/// Words per value of a tag, or per element for Array and Statuses; 0: no words.
constexpr unsigned wordsOf(Tag T) {
  switch (T) {
  case Tag::Word:
  case Tag::Array:
  case Tag::Stack:
  case Tag::Data:
  case Tag::Raw:
    return 1;
  case Tag::Heap:
  case Tag::Map:
    return 2;
  case Tag::Status:
  case Tag::Statuses:
    return StatusWords;
  default:
    return 0;
  }
}

/// One slot found in a token sequence.
struct SlotView {
  Tag T = Tag::Absent;
  Tag Inner = Tag::Absent; ///< of a Stream: the tag of its values
  uint32_t Length = 0;     ///< of Array and Statuses that are not streamed, and of Objects
  uint32_t Ref = 0;        ///< of Name, String that is not streamed, Object and Data (also streamed): the reference
  size_t FirstToken = 0, Tokens = 0;
  size_t FirstWord = 0, Words = 0;
  size_t RefToken = 0; ///< index of the token that holds Ref, or the first reference of Objects
  /// Whether references are to objects, else they are to strings.
  bool hasObjects() const {
    const Tag Values = T == Tag::Stream ? Inner : T;
    return Values == Tag::Object || Values == Tag::Objects;
  }
};

constexpr size_t SignatureHead = 3; ///< tokens before the first slot

/// Walks the slots of a signature's tokens front to back; stops with bad() on invalid tokens.
class SlotWalker {
public:
  explicit SlotWalker(std::span<const uint32_t> Tokens) : Tokens(Tokens) {}
  bool next(SlotView &S) {
    if (At >= Tokens.size())
      return false;
    S = {};
    S.FirstToken = At;
    S.FirstWord = Word;
    uint32_t Code = Tokens[At++];
    if (Code >= NumTags)
      return fail();
    S.T = static_cast<Tag>(Code);
    Tag Value = S.T;
    if (S.T == Tag::Stream) {
      uint32_t I = token();
      if (I >= NumTags || !streamColumns(static_cast<Tag>(I)))
        return fail();
      S.Inner = Value = static_cast<Tag>(I);
    }
    switch (Value) {
    case Tag::String:
      if (S.T == Tag::Stream)
        break;
      [[fallthrough]];
    case Tag::Name:
    case Tag::Object:
    case Tag::Data:
      S.RefToken = At;
      S.Ref = token();
      break;
    case Tag::Array:
    case Tag::Statuses:
      if (S.T != Tag::Stream)
        S.Length = token();
      break;
    case Tag::Objects:
      S.Length = token();
      S.RefToken = At;
      if (Bad || S.Length > Tokens.size() - At)
        return fail();
      At += S.Length;
      break;
    default:
      break;
    }
    if (Bad)
      return false;
    if (S.T != Tag::Stream)
      S.Words = static_cast<size_t>(wordsOf(S.T)) * (S.T == Tag::Array || S.T == Tag::Statuses ? S.Length : 1);
    S.Tokens = At - S.FirstToken;
    Word += S.Words;
    return true;
  }
  bool bad() const { return Bad; }
  size_t words() const { return Word; }

private:
  uint32_t token() {
    if (At >= Tokens.size()) {
      Bad = true;
      return 0;
    }
    return Tokens[At++];
  }
  bool fail() {
    Bad = true;
    return false;
  }
  std::span<const uint32_t> Tokens;
  size_t At = SignatureHead, Word = 0;
  bool Bad = false;
};

} // namespace pilgrim

#endif
