//===- InternTable.h - numbers for distinct contents -------------*- C++ -*-===//
//
// Keeps distinct contents, each a pair of (tokens, words), and numbers them in order of first use. A recorder has such
// tables of strings, sites, objects and signatures.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_CORE_INTERNTABLE_H
#define PILGRIM_CORE_INTERNTABLE_H

#include <cstdint>
#include <span>
#include <vector>

namespace pilgrim {

class InternTable {
public:
  struct Content {
    std::span<const uint32_t> Tokens;
    std::span<const int64_t> Words;
  };

  /// Returns the number of the content. New is set to whether the table did not have it before.
  uint32_t intern(std::span<const uint32_t> Tokens, std::span<const int64_t> Words, bool *New = nullptr) {
    if ((Items.size() + 1) * 2 > Table.size())
      grow();
    uint64_t H = hash(Tokens, Words);
    size_t Mask = Table.size() - 1, I = H & Mask;
    for (; Table[I]; I = (I + 1) & Mask) {
      const Item &X = Items[Table[I] - 1];
      if (X.Hash == H && X.NumTokens == Tokens.size() && X.NumWords == Words.size() &&
          areEqual(Tokens, TokenStore.data() + X.FirstToken) && areEqual(Words, WordStore.data() + X.FirstWord)) {
        if (New)
          *New = false;
        return Table[I] - 1;
      }
    }
    Items.push_back({H, TokenStore.size(), WordStore.size(), static_cast<uint32_t>(Tokens.size()),
                     static_cast<uint32_t>(Words.size())});
    TokenStore.insert(TokenStore.end(), Tokens.begin(), Tokens.end());
    WordStore.insert(WordStore.end(), Words.begin(), Words.end());
    Table[I] = static_cast<uint32_t>(Items.size());
    if (New)
      *New = true;
    return Table[I] - 1;
  }
  Content operator[](uint32_t I) const {
    const Item &X = Items[I];
    return {{TokenStore.data() + X.FirstToken, X.NumTokens}, {WordStore.data() + X.FirstWord, X.NumWords}};
  }
  uint32_t size() const { return static_cast<uint32_t>(Items.size()); }
  size_t memory() const {
    return Items.capacity() * sizeof(Item) + TokenStore.capacity() * 4 + WordStore.capacity() * 8 +
           Table.capacity() * 4;
  }

private:
  struct Item {
    uint64_t Hash;
    size_t FirstToken, FirstWord;
    uint32_t NumTokens, NumWords;
  };
  /// Mostly a few: a call of memcmp costs more.
  template <typename T> static bool areEqual(std::span<const T> A, const T *B) {
    for (size_t I = 0; I < A.size(); ++I)
      if (A[I] != B[I])
        return false;
    return true;
  }
  static uint64_t hash(std::span<const uint32_t> Tokens, std::span<const int64_t> Words) {
    uint64_t H = Tokens.size() * 0x9e3779b97f4a7c15ull;
    for (uint32_t T : Tokens)
      H = (H ^ T) * 0x9ddfea08eb382d69ull + (H >> 29);
    for (int64_t W : Words)
      H = (H ^ static_cast<uint64_t>(W)) * 0xc2b2ae3d27d4eb4full + (H >> 31);
    return H ^ (H >> 32);
  }
  void grow() {
    Table.assign(Table.empty() ? 16 : Table.size() * 2, 0);
    for (size_t J = 0; J < Items.size(); ++J) {
      size_t I = Items[J].Hash & (Table.size() - 1);
      while (Table[I])
        I = (I + 1) & (Table.size() - 1);
      Table[I] = static_cast<uint32_t>(J + 1);
    }
  }

  std::vector<Item> Items;
  std::vector<uint32_t> TokenStore, Table;
  std::vector<int64_t> WordStore;
};

} // namespace pilgrim

#endif
