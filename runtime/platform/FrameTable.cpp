//===- FrameTable.cpp - what unwind tables say of a frame -----------------===//
#include "platform/FrameTable.h"

#include <cstddef>
#include <cstring>

// libgcc's own look-up of a function's table. Its types are in no header.
extern "C" {
struct dwarf_eh_bases {
  void *Text, *Data, *Function;
};
const void *_Unwind_Find_FDE(void *Code, dwarf_eh_bases *Bases);
}

namespace pilgrim {

namespace {
class Table {
public:
  /// False if there is none for this place.
  bool open(uintptr_t At) {
    dwarf_eh_bases Bases{};
    const auto *Fde = static_cast<const uint8_t *>(_Unwind_Find_FDE(reinterpret_cast<void *>(At), &Bases));
    if (!Fde)
      return false;
    Place = reinterpret_cast<uintptr_t>(Bases.Function);
    IsGood = readHeads(Fde);
    return true;
  }

  /// Finds the rule for At. Leaves W unchanged if the rule is not one of the simple ones.
  void find(uintptr_t At, FrameRule &W) {
    if (!IsGood || !run(Cie, CieEnd, UINTPTR_MAX))
      return;
    Initial = Now;
    if (!run(Fde, FdeEnd, At))
      return;
    if (Now.IsReturnUndefined) {
      W.F = FrameRule::End;
      return;
    }
    if (Now.F == FrameRule::Unusual || Now.Return != -8 || Now.IsPointerUnusual)
      return;
    W.F = Now.F;
    W.Offset = static_cast<int32_t>(Now.Offset);
    W.P = Now.P;
    W.PointerOffset = static_cast<int32_t>(Now.PointerOffset);
  }

private:
  static constexpr uint64_t PointerRegister = 6, StackRegister = 7, ReturnRegister = 16;
  struct State {
    FrameRule::Base F = FrameRule::Unusual;
    FrameRule::Place P = FrameRule::Same;
    bool IsPointerUnusual = false, IsReturnUndefined = false;
    int64_t Offset = 0, PointerOffset = 0, Return = 0;
  };

  template <typename T> static T get(const uint8_t *&At) {
    T V;
    std::memcpy(&V, At, sizeof V);
    At += sizeof V;
    return V;
  }
  static uint64_t unsignedNumber(const uint8_t *&At) {
    uint64_t V = 0;
    unsigned Shift = 0;
    uint8_t B;
    do {
      B = *At++;
      V |= Shift < 64 ? static_cast<uint64_t>(B & 0x7f) << Shift : 0;
      Shift += 7;
    } while (B & 0x80);
    return V;
  }
  static int64_t signedNumber(const uint8_t *&At) {
    const uint8_t *First = At;
    uint64_t V = unsignedNumber(At);
    unsigned Bits = static_cast<unsigned>(At - First) * 7;
    if (Bits < 64 && At[-1] & 0x40)
      V |= ~uint64_t(0) << Bits;
    return static_cast<int64_t>(V);
  }

  bool readHeads(const uint8_t *At) {
    constexpr uint32_t Longer = UINT32_MAX;
    uint32_t Length = get<uint32_t>(At);
    if (Length == Longer)
      return false;
    FdeEnd = At + Length;
    const uint8_t *Head = At - *reinterpret_cast<const uint32_t *>(At);
    At += 4;
    Length = get<uint32_t>(Head);
    CieEnd = Head + Length;
    Head += 4; // its id
    uint8_t Version = *Head++;
    const char *Augmentation = reinterpret_cast<const char *>(Head);
    Head += std::strlen(Augmentation) + 1;
    if (Length == Longer || (Version != 1 && Version != 3) || *Augmentation != 'z')
      return false;
    CodeUnit = unsignedNumber(Head);
    DataUnit = signedNumber(Head);
    if ((Version == 1 ? *Head++ : unsignedNumber(Head)) != ReturnRegister)
      return false;
    const uint64_t Bytes = unsignedNumber(Head);
    Cie = Head + Bytes;
    size_t PointerBytes = 8;
    for (const char *C = Augmentation + 1; *C; ++C) {
      if (*C == 'R' || *C == 'L') {
        uint8_t Encoding = *Head++;
        if (*C == 'R')
          PointerBytes = (Encoding & 7) == 0 || (Encoding & 7) == 4 ? 8 : (Encoding & 7) == 3 ? 4 : 0;
      } else if (*C == 'P') {
        unsigned Encoding = *Head++;
        if ((Encoding & 0x70) == 0x50)
          return false; // aligned
        Head += (Encoding & 7) == 3 ? 4 : (Encoding & 7) == 2 ? 2 : 8;
      } else {
        return false; // among others S: a signal's frame
      }
    }
    if (!PointerBytes)
      return false;
    Fde = At + 2 * PointerBytes;
    const uint64_t More = unsignedNumber(Fde);
    Fde += More;
    return true;
  }

  void defineFrame(uint64_t Register, int64_t Offset) {
    Now.F = Register == StackRegister     ? FrameRule::Stack
            : Register == PointerRegister ? FrameRule::Pointer
                                          : FrameRule::Unusual;
    Now.Offset = Offset;
  }
  void put(uint64_t Register, int64_t Offset) {
    if (Register == PointerRegister) {
      Now.P = FrameRule::InFrame;
      Now.PointerOffset = Offset;
      Now.IsPointerUnusual = false;
    } else if (Register == ReturnRegister) {
      Now.Return = Offset;
      Now.IsReturnUndefined = false;
    }
  }
  void restore(uint64_t Register) {
    if (Register == PointerRegister) {
      Now.P = Initial.P;
      Now.PointerOffset = Initial.PointerOffset;
      Now.IsPointerUnusual = Initial.IsPointerUnusual;
    } else if (Register == ReturnRegister) {
      Now.Return = Initial.Return;
      Now.IsReturnUndefined = Initial.IsReturnUndefined;
    }
  }
  void unusual(uint64_t Register) {
    if (Register == PointerRegister)
      Now.IsPointerUnusual = true;
    else if (Register == ReturnRegister)
      Now.Return = 0;
  }
  /// Recognises what compilers write in functions that align their frames: a place counted from the frame pointer.
  static bool byPointer(const uint8_t *At, const uint8_t *End, bool Loads, int64_t &Offset) {
    constexpr uint8_t BasePlusOffset = 0x70 + PointerRegister, Load = 0x06;
    if (At == End || *At++ != BasePlusOffset)
      return false;
    Offset = signedNumber(At);
    return Loads ? At + 1 == End && *At == Load : At == End;
  }

  /// Runs instructions up to the place At.
  bool run(const uint8_t *I, const uint8_t *End, uintptr_t At) {
    State Kept[8];
    unsigned NumKept = 0;
    while (I < End) {
      const uint8_t Op = *I++, Low = Op & 0x3f;
      uint64_t Register, Advance = 0;
      const uint8_t *Block;
      switch (Op & 0xc0 ? Op & 0xc0 : Op) {
      case 0x40: // advance_loc
        Advance = Low * CodeUnit;
        break;
      case 0x80: // offset
        put(Low, static_cast<int64_t>(unsignedNumber(I)) * DataUnit);
        break;
      case 0xc0: // restore
        restore(Low);
        break;
      case 0x00: // nop
        break;
      case 0x02: // advance_loc1
        Advance = get<uint8_t>(I) * CodeUnit;
        break;
      case 0x03: // advance_loc2
        Advance = get<uint16_t>(I) * CodeUnit;
        break;
      case 0x04: // advance_loc4
        Advance = get<uint32_t>(I) * CodeUnit;
        break;
      case 0x05: // offset_extended
        Register = unsignedNumber(I);
        put(Register, static_cast<int64_t>(unsignedNumber(I)) * DataUnit);
        break;
      case 0x06: // restore_extended
        restore(unsignedNumber(I));
        break;
      case 0x07: // undefined
        Register = unsignedNumber(I);
        unusual(Register);
        Now.IsReturnUndefined |= Register == ReturnRegister;
        break;
      case 0x08: // same_value
        Register = unsignedNumber(I);
        unusual(Register);
        if (Register == PointerRegister) {
          Now.P = FrameRule::Same;
          Now.IsPointerUnusual = false;
        }
        break;
      case 0x09: // register
        unusual(unsignedNumber(I));
        unsignedNumber(I);
        break;
      case 0x0a: // remember_state
        if (NumKept == 8)
          return false;
        Kept[NumKept++] = Now;
        break;
      case 0x0b: // restore_state
        if (!NumKept)
          return false;
        Now = Kept[--NumKept];
        break;
      case 0x0c: // def_cfa
        Register = unsignedNumber(I);
        defineFrame(Register, static_cast<int64_t>(unsignedNumber(I)));
        break;
      case 0x0d: // def_cfa_register
        defineFrame(unsignedNumber(I), Now.Offset);
        break;
      case 0x0e: // def_cfa_offset
        Now.Offset = static_cast<int64_t>(unsignedNumber(I));
        break;
      case 0x0f: { // def_cfa_expression
        uint64_t N = unsignedNumber(I);
        Now.F = byPointer(I, I + N, true, Now.Offset) ? FrameRule::Loaded : FrameRule::Unusual;
        I += N;
        break;
      }
      case 0x10:   // expression
      case 0x16: { // val_expression
        Register = unsignedNumber(I);
        uint64_t N = unsignedNumber(I);
        Block = I;
        I += N;
        unusual(Register);
        if (Op == 0x10 && Register == PointerRegister && byPointer(Block, I, false, Now.PointerOffset)) {
          Now.P = FrameRule::ByPointer;
          Now.IsPointerUnusual = false;
        }
        break;
      }
      case 0x11: // offset_extended_sf
        Register = unsignedNumber(I);
        put(Register, signedNumber(I) * DataUnit);
        break;
      case 0x12: // def_cfa_sf
        Register = unsignedNumber(I);
        defineFrame(Register, signedNumber(I) * DataUnit);
        break;
      case 0x13: // def_cfa_offset_sf
        Now.Offset = signedNumber(I) * DataUnit;
        break;
      case 0x14: // val_offset
      case 0x15: // val_offset_sf
        unusual(unsignedNumber(I));
        unsignedNumber(I);
        break;
      case 0x2e: // GNU_args_size
        unsignedNumber(I);
        break;
      default:
        return false;
      }
      Place += Advance;
      if (Place > At)
        return true;
    }
    return true;
  }

  bool IsGood = false;
  const uint8_t *Cie = nullptr, *CieEnd = nullptr, *Fde = nullptr, *FdeEnd = nullptr;
  uint64_t CodeUnit = 1;
  int64_t DataUnit = -8;
  uintptr_t Place = 0;
  State Now, Initial;
};
} // namespace

FrameRule frameRule([[maybe_unused]] uintptr_t At) {
  FrameRule W;
#if defined(__x86_64__)
  if (Table Of; Of.open(At))
    Of.find(At, W);
  else
    W.F = FrameRule::End;
#endif
  return W;
}

uintptr_t functionAt(uintptr_t At) {
  dwarf_eh_bases Bases{};
  return _Unwind_Find_FDE(reinterpret_cast<void *>(At), &Bases) ? reinterpret_cast<uintptr_t>(Bases.Function) : 0;
}

} // namespace pilgrim
