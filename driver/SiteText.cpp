//===- SiteText.cpp - places in a program as text -------------------------===//
#include "driver/SiteText.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cxxabi.h>
#ifdef PILGRIM_DEMANGLE
#include <llvm/Demangle/Demangle.h>
#endif

namespace pilgrim {

/// Of a procedure in a module or in another procedure: module::host::procedure. Flang writes M (module), S (submodule),
/// F (host) or P (the procedure) before each name, which has small letters.
static std::string fortranName(const std::string &Linkage) {
  std::string Out;
  for (size_t At = 2; At < Linkage.size();) {
    if (std::string_view("MSFP").find(Linkage[At]) == std::string_view::npos)
      return Linkage;
    size_t End = At + 1;
    while (End < Linkage.size() && !(Linkage[End] >= 'A' && Linkage[End] <= 'Z'))
      ++End;
    if (End > At + 1)
      Out += (Out.empty() ? "" : "::") + Linkage.substr(At + 1, End - At - 1);
    At = End;
  }
  return Out.empty() ? Linkage : Out;
}

/// A procedure of its own has an underscore behind its name.
static bool isFortranFile(const std::string &File) {
  const size_t Dot = File.rfind('.');
  if (Dot == std::string::npos || Dot + 1 == File.size() || (File[Dot + 1] != 'f' && File[Dot + 1] != 'F'))
    return false;
  return std::all_of(File.begin() + static_cast<ptrdiff_t>(Dot) + 2, File.end(),
                     [](char C) { return (C >= '0' && C <= '9') || C == 'o' || C == 'r'; });
}

std::string functionName(const Region &R) {
  const std::string &Linkage = R.Name;
  if (Linkage.size() > 1 && Linkage.ends_with('_') && !Linkage.starts_with("_Z") && isFortranFile(R.File))
    return Linkage.substr(0, Linkage.size() - 1);
  return functionName(Linkage);
}

bool isSystemFunction(const std::string &Linkage) {
  return std::ranges::any_of(std::initializer_list<std::string_view>{"_ZSt", "_ZNSt", "_ZNKSt", "_ZN9__gnu_cxx",
                                                                     "_ZNK9__gnu_cxx", "_ZNSa", "_ZNSs"},
                             [&](std::string_view Head) { return Linkage.starts_with(Head); });
}

/// The function in which a lambda stands; empty: it is none.
static std::string hostOfLambda(const std::string &Name) {
  // What GCC and clang call them: main::{lambda(int)#1}::operator()(int) const, main::$_0::operator()(int) const; and
  // what LLVM says where GCC's demangler does not know a name: main::'lambda'(int)::operator()(int) const.
  const size_t Call = Name.rfind("::operator()(");
  if (Call == std::string::npos)
    return "";
  size_t Begin = Name.rfind("::$_", Call);
  if (Begin == std::string::npos || Name.find("::", Begin + 2) != Call)
    Begin = Name[Call - 1] == '}'   ? Name.rfind("::{lambda(", Call)
            : Name[Call - 1] == ')' ? Name.rfind("::'lambda", Call)
                                    : std::string::npos;
  return Begin == std::string::npos ? "" : Name.substr(0, Begin);
}

std::string functionName(const std::string &Linkage) {
  if (Linkage == "_QQmain")
    return "main program";
  if (Linkage.starts_with("_Q"))
    return fortranName(Linkage);
  if (!Linkage.starts_with("_Z"))
    return Linkage;
  int Status = 0;
  char *Demangled = abi::__cxa_demangle(Linkage.c_str(), nullptr, nullptr, &Status);
  std::string Name = Demangled ? Demangled : Linkage;
  std::free(Demangled);
#ifdef PILGRIM_DEMANGLE
  if (std::string Other; Status && llvm::nonMicrosoftDemangle(Linkage.c_str(), Other))
    return Other;
#endif
  return Name;
}

/// Without the parameters, and without what is in <> and () inside of so many <>. Operators stay as they are: they are
/// made of the same characters.
static std::string shortened(const std::string &Name, size_t Inside) {
  static constexpr std::string_view Anonymous = "(anonymous namespace)";
  std::string Out;
  size_t Depth = 0, Left = 0; // Left: of Depth, what is not shown
  for (size_t I = 0; I < Name.size(); ++I) {
    const char C = Name[I];
    if (!Left && Name.compare(I, Anonymous.size(), Anonymous) == 0) {
      Out += Anonymous;
      I += Anonymous.size() - 1;
    } else if (C == '<' || C == '(') {
      const bool IsLeft = (C == '(' && !Depth) || Depth >= Inside;
      if (!Left && IsLeft)
        Out += C == '<' ? "<...>" : "(...)";
      else if (!Left)
        Out += C;
      Left += Left || IsLeft;
      ++Depth;
    } else if (C == '>' || C == ')') {
      if (!Left)
        Out += C;
      Left -= Left > 0;
      Depth -= Depth > 0;
    } else if (!Left) {
      Out += C;
    }
  }
  return Out;
}

/// As much of a name as makes a line that can be read: instances of one template are told apart by what is in <>.
static std::string shortened(const std::string &Name) {
  constexpr size_t LongName = 60, LongTemplate = 76;
  if (Name.size() <= LongName || Name.find("operator") != std::string::npos)
    return Name;
  for (size_t Inside : {3, 2, 1})
    if (std::string Short = shortened(Name, Inside); Short.size() <= LongTemplate)
      return Short;
  return shortened(Name, 0);
}

std::string functionText(const Region &R) { return functionText(R.Name, functionName(R)); }

std::string functionText(const std::string &Linkage) { return functionText(Linkage, functionName(Linkage)); }

std::string functionText(const std::string &Linkage, std::string Name) {
  if (const std::string Host = hostOfLambda(Name); !Host.empty())
    return "lambda in " + shortened(Host.find('(') == std::string::npos ? Host + "()" : Host);
  if (Linkage != "_QQmain" && !isConstruct(Linkage) && Name.find('(') == std::string::npos)
    Name += "()";
  return shortened(Name);
}

static std::string baseName(const std::string &File) {
  return File.substr(File.rfind('/') + 1); // npos + 1 is 0
}

std::string lineText(const Region &R, uint32_t Line) {
  if (!Line || R.File.empty())
    return "";
  return baseName(R.File) + ':' + std::to_string(Line);
}

static PlaceText placeText(const SiteInfo &I, SourceLines &Lines) {
  if (const SourceLine &L = Lines.find(I.Module, I.Offset); L.Line)
    return {baseName(L.File) + ':' + std::to_string(L.Line), L.File, L.Line};
  char Buffer[24];
  auto End = std::to_chars(Buffer, Buffer + sizeof Buffer, static_cast<uint64_t>(I.Offset), 16);
  return {I.Module + "+0x" + std::string(Buffer, End.ptr), "", 0};
}

/// The line of an event that announced a call, else the function that it is in.
static SiteText announcedText(const Region &R, const Region::Event &E) {
  std::string Text = lineText(R, E.Line);
  return {{Text.empty() ? functionText(R) : Text, R.File, static_cast<int>(E.Line)}};
}

SiteText siteText(const Walk &W, const CallShape &C, SourceLines &Lines) {
  return siteText(W, C.Thread, C.Node, C.Event, C.Site, Lines);
}

SiteText siteText(const Walk &W, uint32_t Thread, uint32_t Node, uint32_t Event, uint32_t Site, SourceLines &Lines) {
  if (Site)
    return siteText(W, Thread, Site - 1, Lines);
  const Region *R = W.node(Thread, Node).Structure;
  if (!R || !Event || R->Events[Event - 1].K != Region::Site)
    return SiteText(1);
  return announcedText(*R, R->Events[Event - 1]);
}

SiteText siteText(const RankView &View, const ResolvedSignature &S, SourceLines &Lines) {
  if (const Region::Event *E = View.siteEvent(S))
    return announcedText(*View.nodes()[S.Node].Structure, *E);
  SiteText Out;
  for (uint32_t Site = S.Site; Site; Site = View.site(Site - 1).Caller)
    Out.push_back(placeText(View.site(Site - 1), Lines));
  return Out.empty() ? SiteText(1) : Out;
}

SiteText siteText(const Walk &W, uint32_t Thread, uint32_t Site, SourceLines &Lines) {
  SiteText Out;
  for (uint32_t Next = Site + 1; Next;) {
    const SiteInfo I = W.site(Thread, Next - 1);
    Next = I.Caller;
    Out.push_back(placeText(I, Lines));
  }
  return Out;
}

std::string chainText(const SiteText &Site) {
  std::string Out;
  for (const PlaceText &P : Site)
    Out += (Out.empty() ? "" : " <- ") + P.Text;
  return Out;
}

std::string pathText(const Walk &W, uint32_t Thread, uint32_t Node, uint32_t Event, const GapPath &P,
                     SourceLines &Lines) {
  auto Named = [&](uint32_t AtNode, uint32_t AtEvent, const MeasuredPlace &Place) {
    const std::string Site = chainText(siteText(W, Thread, AtNode, AtEvent, Place.Site, Lines));
    return W.trace().functions().at(Place.Function).Name + (Site.empty() ? "" : " " + Site);
  };
  switch (P.K) {
  case GapPath::Begin:
    return "the thread's begin";
  case GapPath::Others:
    return "other calls";
  case GapPath::Call:
    return Named(Node, Event, W.measures(Thread, Node, Event)[P.Which].Place);
  case GapPath::Event:
    break;
  }
  // An event may have calls of several functions.
  const auto &Places = W.places(Thread, P.Node, P.Which);
  if (Places.size() == 1)
    return Named(P.Node, P.Which, Places.begin()->first);
  const Region *R = W.node(Thread, P.Node).Structure;
  const std::string Line = R && P.Which ? lineText(*R, R->Events[P.Which - 1].Line) : "";
  return "calls" + (Line.empty() ? "" : " " + Line);
}

} // namespace pilgrim
