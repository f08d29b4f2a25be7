//===- Arguments.cpp - what a compiler's command line asks for ------------===//
#include "driver/cc/Arguments.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

namespace pilgrim {

/// Options whose value is the next word, which therefore is neither an option
/// nor an input.
static constexpr std::string_view TakesNext[] = {"-o",
                                                 "-x",
                                                 "-I",
                                                 "-L",
                                                 "-D",
                                                 "-U",
                                                 "-l",
                                                 "-B",
                                                 "-F",
                                                 "-J",
                                                 "-T",
                                                 "-u",
                                                 "-z",
                                                 "-e",
                                                 "-b",
                                                 "-A",
                                                 "-G",
                                                 "-MF",
                                                 "-MT",
                                                 "-MQ",
                                                 "-MJ",
                                                 "-include",
                                                 "-imacros",
                                                 "-isystem",
                                                 "-idirafter",
                                                 "-iquote",
                                                 "-iprefix",
                                                 "-iwithprefix",
                                                 "-iwithprefixbefore",
                                                 "-isysroot",
                                                 "-iframework",
                                                 "-framework",
                                                 "-include-pch",
                                                 "-ivfsoverlay",
                                                 "-Xclang",
                                                 "-Xflang",
                                                 "-Xlinker",
                                                 "-Xassembler",
                                                 "-Xpreprocessor",
                                                 "-Xanalyzer",
                                                 "-Xopenmp-target",
                                                 "-mllvm",
                                                 "-mmlir",
                                                 "-arch",
                                                 "-target",
                                                 "-gcc-toolchain",
                                                 "-dumpbase",
                                                 "-dumpbase-ext",
                                                 "-dumpdir",
                                                 "-aux-info",
                                                 "-wrapper",
                                                 "-rpath",
                                                 "-install_name",
                                                 "-module-dir",
                                                 "-working-directory",
                                                 "-serialize-diagnostics",
                                                 "--serialize-diagnostics",
                                                 "--param",
                                                 "--output",
                                                 "--sysroot",
                                                 "--include",
                                                 "--config",
                                                 "--language",
                                                 "-Tbss",
                                                 "-Tdata",
                                                 "-Ttext"};

/// Options with which nothing is linked.
static constexpr std::string_view LinksNothing[] = {"-c",
                                                    "-S",
                                                    "-E",
                                                    "-M",
                                                    "-MM",
                                                    "-fsyntax-only",
                                                    "--analyze",
                                                    "-emit-ast",
                                                    "--precompile",
                                                    "--compile",
                                                    "--assemble",
                                                    "--preprocess",
                                                    "--dependencies",
                                                    "--user-dependencies",
                                                    "-verify-pch",
                                                    "-extract-api",
                                                    "-fsyntax-only",
                                                    "-fopenmp-is-target-device"};

static bool contains(const auto &List, std::string_view Word) {
  return std::find(std::begin(List), std::end(List), Word) != std::end(List);
}

static bool hasSuffix(std::string_view Word, std::initializer_list<std::string_view> Suffixes) {
  return std::any_of(Suffixes.begin(), Suffixes.end(), [&](auto S) { return Word.ends_with(S); });
}

namespace {
class Reader {
public:
  explicit Reader(Arguments &A) : A(A) {}
  void read(const std::vector<std::string> &Words, int Depth);
  void finish() { A.Links = A.Links && (!A.HasInput || HasLinkInput); }

private:
  void option(const std::string &Word, const std::string &Value);
  void linker(std::string_view Word);
  void input(const std::string &Word);
  bool readResponse(const std::string &Word, int Depth);

  Arguments &A;
  std::string Kind; ///< -x
  bool HasLinkInput = false, OnlyInputs = false;
};
} // namespace

void Reader::read(const std::vector<std::string> &Words, int Depth) {
  for (size_t I = 0; I < Words.size(); ++I) {
    const std::string &W = Words[I];
    bool IsInput = OnlyInputs || W == "-" || !W.starts_with('-');
    std::string Value;
    size_t At = A.Passed.size();
    bool HasValue = !IsInput && contains(TakesNext, W) && I + 1 < Words.size();
    if (HasValue)
      Value = Words[++I];
    if (!Depth) {
      if (!IsInput &&
          (W == "-show" || W == "-compile-info" || W == "-compile_info" || W == "-link-info" || W == "-link_info")) {
        A.Show = true;
        continue;
      }
      if (!IsInput && W == "--doctor") {
        A.Doctor = true;
        continue;
      }
      A.Passed.push_back(W);
      if (HasValue)
        A.Passed.push_back(Value);
    }
    if (W == "--" && !OnlyInputs) {
      OnlyInputs = true;
      if (!Depth)
        A.DoubleDash = At;
    } else if (!IsInput) {
      option(W, Value);
    } else if (!W.starts_with('@') || !readResponse(W, Depth)) {
      input(W);
    }
  }
}

/// A file that is not there is an ordinary input, as for the compiler.
bool Reader::readResponse(const std::string &Word, int Depth) {
  std::ifstream File(Word.substr(1), std::ios::binary);
  if (!File || Depth > 16)
    return false;
  std::string Text{std::istreambuf_iterator<char>(File), {}};
  read(splitWords(Text), Depth + 1);
  return true;
}

void Reader::option(const std::string &Word, const std::string &Value) {
  std::string_view W = Word;
  if (contains(LinksNothing, W) || W.starts_with("-fmodule-header") || W.starts_with("-print-") ||
      W.starts_with("--print-"))
    A.Links = false;
  else if (W == "-x" || W == "--language")
    Kind = Value;
  else if (W.starts_with("-x") && W.size() > 2)
    Kind = W.substr(2);
  else if (W == "-r" || W == "--relocatable")
    A.Relocatable = true;
  else if (W == "-static" || W == "--static" || W == "-static-pie")
    A.Static = true;
  else if (W.starts_with("-fpass-plugin=") && W.ends_with("/pilgrim-pass.so"))
    A.HasPlugin = true;
  else if (W.starts_with("-flto") || W == "-fno-lto")
    A.FullLto = W == "-flto" || W == "-flto=full" || W == "-flto=auto";
  else if (W.starts_with("-fuse-ld=") || W.starts_with("--ld-path="))
    A.Linker = W.substr(W.find('=') + 1);
  else if (W == "-Xlinker")
    linker(Value);
  else if (W.starts_with("-Wl,"))
    linker(W.substr(4));
  else if (W.starts_with("-l"))
    A.HasInput = HasLinkInput = true;
}

void Reader::linker(std::string_view Words) {
  A.HasInput = HasLinkInput = true; // it may name libraries
  while (true) {
    size_t End = std::min(Words.find(','), Words.size());
    std::string_view W = Words.substr(0, End);
    if (W == "-r" || W == "--relocatable" || W == "-i")
      A.Relocatable = true;
    if (End == Words.size())
      return;
    Words.remove_prefix(End + 1);
  }
}

void Reader::input(const std::string &Word) {
  A.HasInput = true;
  bool IsHeader = Kind.empty() || Kind == "none"
                      ? hasSuffix(Word, {".h", ".hh", ".hp", ".hpp", ".hxx", ".h++", ".H", ".HPP", ".tcc"})
                      : Kind.ends_with("-header");
  HasLinkInput |= !IsHeader;
  A.Sources.push_back(Word);
}

Arguments readArguments(const std::vector<std::string> &Words) {
  Arguments A;
  A.DoubleDash = static_cast<size_t>(-1);
  if (!Words.empty() && (Words[0].starts_with("-cc1") || Words[0] == "-fc1")) {
    A.Passed = Words; // the compiler proper, whose first argument this must be
  } else {
    Reader R(A);
    R.read(Words, 0);
    R.finish();
  }
  A.DoubleDash = std::min(A.DoubleDash, A.Passed.size());
  return A;
}

std::vector<std::string> splitWords(const std::string &Text) {
  std::vector<std::string> Words;
  std::string Word;
  bool Inside = false;
  char Quote = 0;
  for (size_t I = 0; I < Text.size(); ++I) {
    char C = Text[I];
    if (C == '\\' && Quote != '\'' && I + 1 < Text.size()) {
      Word += Text[++I];
      Inside = true;
    } else if (Quote) {
      if (C == Quote)
        Quote = 0;
      else
        Word += C;
    } else if (C == '"' || C == '\'') {
      Quote = C;
      Inside = true;
    } else if (std::strchr(" \t\r\n\f\v", C) && C) {
      if (Inside)
        Words.push_back(std::move(Word));
      Word.clear();
      Inside = false;
    } else {
      Word += C;
      Inside = true;
    }
  }
  if (Inside)
    Words.push_back(std::move(Word));
  return Words;
}

} // namespace pilgrim
