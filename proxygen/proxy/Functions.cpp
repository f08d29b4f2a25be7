//===- Functions.cpp - the functions of a proxy ---------------------------===//
#include "proxygen/proxy/Functions.h"
#include "proxygen/proxy/Program.h"

namespace pilgrim {

/// Before and behind the number of a call, in the place of its cursors. No text has it.
static constexpr char Mark = 2;
/// Of a call. What has more cursors than this does not share them.
static constexpr size_t MostCursors = 1000;

std::string Functions::replaced(const std::string &Text, const std::function<std::string(const std::string &)> &Cursor,
                                const std::function<std::string(size_t)> &Of) const {
  std::string Out;
  auto IsName = [](char C) { return std::isalnum(static_cast<unsigned char>(C)) || C == '_'; };
  bool IsInString = false;
  for (size_t At = 0; At < Text.size(); ++At) {
    const char C = Text[At];
    if (IsInString && C == '\\') {
      Out += C;
      Out += Text[++At];
      continue;
    }
    IsInString ^= C == '"';
    if (C == Mark) {
      const size_t End = Text.find(Mark, At + 1);
      Out += Of(std::stoul(Text.substr(At + 1, End - At - 1)));
      At = End;
      continue;
    }
    size_t End = At + 1;
    while (C == '&' && !IsInString && End < Text.size() && IsName(Text[End]))
      ++End;
    const std::string Name = Text.substr(At + 1, End - At - 1);
    if (S.Cursors.contains(Name)) {
      Out += Cursor(Name);
      At = End - 1;
    } else {
      Out += C;
    }
  }
  return Out;
}

std::string Functions::define(const std::string &Wanted, const std::string &Body, const std::string &Comment,
                              const std::string &Parameters) {
  auto [It, IsNew] = Known.try_emplace(Parameters + Mark + Comment + Mark + Body);
  if (IsNew) {
    It->second = S.name(identifier(Wanted));
    const std::string Beside = Comment.empty() ? "" : " /* " + Comment + " */";
    S.add("\nstatic void " + It->second + "(" + Parameters + ") " + block(Body).replace(0, 1, "{" + Beside) + "\n");
  }
  return It->second;
}

std::string Functions::call(const std::string &Wanted, const std::string &Body, const std::string &Comment,
                            bool HasRow) {
  std::vector<std::string> Own;
  std::map<std::string, size_t> OfCursor;
  std::map<size_t, size_t> OfCall;
  const std::string Text = replaced(
      Body,
      [&](const std::string &Name) {
        const auto [It, IsNew] = OfCursor.try_emplace(Name, Own.size());
        if (IsNew)
          Own.push_back(Name);
        return "at[" + std::to_string(It->second) + "]";
      },
      [&](size_t Number) {
        const auto [It, IsNew] = OfCall.try_emplace(Number, Own.size());
        if (IsNew)
          Own.insert(Own.end(), Calls[Number].begin(), Calls[Number].end());
        return It->second ? "at + " + std::to_string(It->second) : std::string("at");
      });
  const bool Shares = !Own.empty() && Own.size() <= MostCursors;
  const std::string Name = define(Wanted, Shares ? Text : atTop(Body), Comment,
                                  !Shares  ? HasRow ? "const long row" : "void"
                                  : HasRow ? "struct cursor *const *at, const long row"
                                           : "struct cursor *const *at");
  if (!Shares)
    return Name + (HasRow ? "(row);" : "();");
  Calls.push_back(std::move(Own));
  return Name + "(" + Mark + std::to_string(Calls.size() - 1) + Mark + (HasRow ? ", row);" : ");");
}

std::string Functions::alone(const std::string &Wanted, const std::string &Body) {
  return define(Wanted, atTop(Body), "", "void");
}

std::string Functions::atTop(const std::string &Text) {
  return replaced(
      Text, [](const std::string &Name) { return "&" + Name; },
      [&](size_t Number) {
        std::string Content;
        for (const std::string &Name : Calls[Number])
          Content += (Content.empty() ? "&" : ", &") + Name;
        const std::string Array = S.name("cursors");
        S.declare(Source::broken("static struct cursor *const " + Array + "[] = {", Content) + "};\n");
        return Array;
      });
}

} // namespace pilgrim
