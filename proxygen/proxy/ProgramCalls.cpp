//===- ProgramCalls.cpp - calls in the structure of a proxy ---------------===//
//
// The calls of a sequence, one behind the other or as cases of a switch. Calls that differ in literals only are one
// call with tables of arguments.
//
//===----------------------------------------------------------------------===//
#include "proxygen/proxy/Program.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

namespace pilgrim {

/// Shorter times between calls are not worth a line, seconds.
static constexpr double LeastGap = 1e-7;
/// Longer bodies than this become several functions.
static constexpr size_t MostLines = 300;

static size_t newlines(const std::string &Text) { return static_cast<size_t>(std::ranges::count(Text, '\n')); }

/// Whether a text refers to the variable `row`.
static bool hasRow(const std::string &Text) {
  auto IsPart = [](char C) { return std::isalnum(static_cast<unsigned char>(C)) || C == '_'; };
  for (const std::string &Part : LiteralText::of(Text).Between)
    for (size_t At = 0; (At = Part.find("row", At)) != std::string::npos; At += 3)
      if ((!At || !IsPart(Part[At - 1])) && (At + 3 == Part.size() || !IsPart(Part[At + 3])))
        return true;
  return false;
}

/// A character that no text has.
static constexpr char Separator = 1;

std::string Program::Piece::joined() const {
  std::string Out(IsPartial, Separator);
  for (const CallForm &F : Calls)
    for (const std::string *Part : {&F.When, &F.Before, &F.Text, &F.Name})
      Out += Separator + *Part;
  return Out;
}

Program::Piece Program::Piece::with(const std::string &Joined) const {
  Piece Out = *this;
  size_t At = IsPartial;
  auto Next = [&] {
    const size_t Begin = At, End = std::min(Joined.find(Separator, At), Joined.size());
    At = End + 1;
    return Joined.substr(Begin, End - Begin);
  };
  Next(); // nothing is before the first call
  for (CallForm &F : Out.Calls)
    for (std::string *Part : {&F.When, &F.Before, &F.Text, &F.Name})
      *Part = Next();
  return Out;
}

size_t Program::Piece::lines() const { return 1 + newlines(joined()); }

/// A call for the ranks of a sequence, which may make it in different forms.
std::vector<Program::CallForm> Program::forms(const RankedItems &X, uint32_t Terminal, bool IsPartial) {
  const std::vector<CallShape> &All = Shapes[{&X, Terminal}];
  RankSet Left = X.Ranks;
  std::vector<CallForm> Out;
  for (const CallShape &C : All) {
    CallForm F;
    F.Text = Calls.statement(C, X.Ranks);
    if (C.Depth == 0 && !F.Text.empty() && hasCallbacks(X, Terminal)) {
      S.use("inside");
      F.Text += "\nover();";
    }
    const bool IsMade = !F.Text.empty() && isCall(*C.Function);
    if (Computes == Gaps::Recorded && IsMade && C.Depth == 0) {
      S.use("gap");
      F.Before = "gap();\n";
    }
    if (const Measure *M = Computes == Gaps::Mean && IsMade ? W.measure(C) : nullptr)
      if (const double Seconds = M->mean(Metric::Gap) / 1e9; Seconds > LeastGap) {
        S.use("compute");
        F.Before = fmt::format("compute({:.3g});\n", Seconds);
      }
    if (F.Text.empty() && IsPartial)
      F.Text = "(void)0;"; // it counts
    if (F.Text.empty())
      continue;
    if (C.Depth > 0) {
      S.use("inside");
      // Its calls wait until MPI calls the function that it was made in.
      F.Text = "inside(" + std::to_string(C.Depth) + ", " +
               Made.alone(isCall(*C.Function) ? C.Function->Name.substr(4) + "_in_callback" : "freed_inside", F.Text) +
               (isCall(*C.Function) ? ", 1);" : ", 0);");
    }
    F.Name = C.Function->Name.starts_with("MPI_") ? "do_" + C.Function->Name.substr(4) : "item";
    F.When = Ranks.condition(C.Ranks, Left);
    Left = Left.without(C.Ranks);
    Out.push_back(std::move(F));
  }
  if (!Out.empty() && (Left.empty() || Out.back().When == "1"))
    Out.back().When.clear();
  return Out;
}

/// Whether some of the sequence's ranks do not have an item. It is not in their sequences.
bool Program::lacks(const RankedItems &X, uint32_t Terminal) {
  if (X.Items[Terminal].IsNode)
    return false;
  RankSet Left = X.Ranks;
  for (const CallShape &C : Shapes[{&X, Terminal}])
    Left = Left.without(C.Ranks);
  return !Left.empty();
}

Program::Piece Program::piece(const RankedItems &X, uint32_t Terminal, bool Counts) {
  const Item &It = X.Items[Terminal];
  Piece Out;
  Out.IsPartial = Counts && lacks(X, Terminal);
  if (It.IsNode)
    Out.Activation = node(It.Index);
  else
    Out.Calls = forms(X, Terminal, Out.IsPartial);
  return Out;
}

std::string Program::textOf(const Piece &P) {
  std::string Out = P.Activation;
  for (size_t I = 0; I < P.Calls.size(); ++I) {
    const CallForm &F = P.Calls[I];
    std::string Text = isOneLine(F.Text) ? F.Text : Made.call(F.Name, F.Text, "", hasRow(F.Text));
    if (!F.Before.empty())
      Text = "{\n" + indented(F.Before + Text) + "}";
    if (F.When.empty())
      Out += (I ? "\nelse\n  " : "") + Text;
    else
      Out += (I ? "\nelse if (" : "if (") + F.When + ")\n  " + Text;
  }
  if (P.IsPartial)
    Out += Out.empty() ? "++n;" : "\nelse\n  ++n;";
  return Out;
}

std::string Program::item(const RankedItems &X, uint32_t Terminal) { return textOf(piece(X, Terminal)); }

/// Stretches of a rule in which calls come again and again with other literals.
class Program::Stretches {
public:
  struct Stretch {
    std::vector<LiteralRows> Rows; ///< by call
    size_t Times = 0;
  };

  Stretches(const RankedItems &X, uint32_t R, uint32_t FirstPlace, const std::vector<Piece> &Pieces) : Pieces(Pieces) {
    const auto &Symbols = X.Order.Rules[R];
    Texts.resize(Symbols.size());
    std::vector<size_t> Forms(Symbols.size()); // 0: not to be repeated
    std::unordered_map<std::string, size_t> Known;
    for (size_t I = 0; I < Symbols.size(); ++I)
      if (!Symbols[I].IsRule && Symbols[I].Count == 1 && !Pieces[I].Calls.empty() &&
          !X.Functions.contains(FirstPlace + static_cast<uint32_t>(I))) {
        Texts[I] = LiteralText::of(Pieces[I].joined());
        Forms[I] = Known.try_emplace(Texts[I].form(), Known.size() + 1).first->second;
      }
    for (size_t Period = 1; Period <= MostCalls; ++Period) {
      auto &Own = Lengths.emplace_back(Symbols.size());
      for (size_t I = Symbols.size(); I-- > 0;)
        Own[I] = Forms[I] && I + Period < Symbols.size() && Forms[I] == Forms[I + Period] ? Own[I + 1] + 1 : 0;
    }
  }

  /// The stretch that begins here and saves most lines. At grows from call to call.
  std::optional<Stretch> at(size_t At) {
    std::optional<Stretch> Best;
    size_t MostSaved = 0;
    for (size_t Period = 1; Period <= MostCalls; ++Period) {
      const size_t Times = Lengths[Period - 1][At] / Period + 1;
      if (Times < LiteralRows::LeastRows || At < NotBefore[Period - 1])
        continue;
      Stretch S;
      S.Times = Times;
      size_t Before = 0, After = 1;
      for (size_t Call = 0; Call < Period; ++Call) {
        LiteralRows &Rows = S.Rows.emplace_back();
        for (size_t I = 0; I < Times; ++I)
          Rows.add(Texts[At + Call + I * Period]);
        Before += Times * Pieces[At + Call].lines();
        After += Pieces[At + Call].lines() + Rows.tableLines();
      }
      if (After >= Before)
        NotBefore[Period - 1] = At + Times * Period;
      else if (Before - After > MostSaved) {
        MostSaved = Before - After;
        Best = std::move(S);
      }
    }
    return Best;
  }

private:
  static constexpr size_t MostCalls = 16; ///< that come in turn
  const std::vector<Piece> &Pieces;
  std::vector<LiteralText> Texts;
  std::vector<std::vector<size_t>> Lengths; ///< by period - 1 and place: how many forms are those of a period later
  size_t NotBefore[MostCalls] = {};
};

/// The body of a rule. Texts: those of other rules.
std::string Program::rule(const RankedItems &X, uint32_t R, uint32_t FirstPlace,
                          const std::vector<std::string> &Texts) {
  const auto &Symbols = X.Order.Rules[R];
  std::vector<Piece> Pieces;
  for (const GrammarSymbol &Y : Symbols)
    Pieces.push_back(Y.IsRule ? Piece{} : piece(X, Y.Value));
  Stretches All(X, R, FirstPlace, Pieces);
  Statements Body;
  size_t Lines = 0;
  for (size_t I = 0; I < Symbols.size(); ++I) {
    const GrammarSymbol &Y = Symbols[I];
    std::string Text;
    if (const auto Found = All.at(I)) {
      for (size_t At = 0; At < Found->Rows.size(); ++At)
        Text += (At ? "\n" : "") + textOf(Pieces[I + At].with(Found->Rows[At].text(S)));
      Text = repeated(std::to_string(Found->Times), Text, "row");
      I += Found->Times * Found->Rows.size() - 1;
    }
    if (Text.empty()) {
      auto Count = X.Functions.find(FirstPlace + static_cast<uint32_t>(I));
      Text = repeated(Count == X.Functions.end() ? std::to_string(Y.Count)
                                                 : Ranks.expression(Count->second, X.Ranks, "rank", "size"),
                      Y.IsRule ? Texts[Y.Value] : textOf(Pieces[I]));
    }
    if (Text.empty())
      continue;
    Body.add(Text);
    // Compilers need long for long functions.
    if ((Lines += 1 + newlines(Text)) > MostLines) {
      const std::string Part = Made.call("part", Body.text(), "", false);
      Body = Statements();
      Body.add(Part);
      Lines = 1;
    }
  }
  return Body.text();
}

Program::Cases Program::casesOf(const std::vector<Piece> &Pieces) {
  std::vector<LiteralRows> Groups;
  std::vector<size_t> GroupOf(Pieces.size());
  std::unordered_map<std::string, size_t> Known;
  for (size_t T = 0; T < Pieces.size(); ++T) {
    LiteralText Text = LiteralText::of(Pieces[T].joined());
    // Activations have switches of their own, with cases that must be constants.
    const std::string Form = Pieces[T].Calls.empty() ? std::to_string(T) : "call" + Text.form();
    GroupOf[T] = Known.try_emplace(Form, Groups.size()).first->second;
    if (GroupOf[T] == Groups.size())
      Groups.emplace_back();
    Groups[GroupOf[T]].add(std::move(Text));
  }
  constexpr size_t None = SIZE_MAX;
  std::vector<size_t> CaseOf(Groups.size(), None);
  Cases Out;
  uint32_t MostRows = 1;
  for (uint32_t T = 0; T < Pieces.size(); ++T) {
    LiteralRows &G = Groups[GroupOf[T]];
    size_t &Case = CaseOf[GroupOf[T]];
    if (Case == None && G.size() >= LiteralRows::LeastRows) {
      const size_t One = isShortCase(Pieces[T].joined()) ? 1 : 2 + Pieces[T].lines(); // with "case 1:" and "break;"
      if (One + G.tableLines() + 2 < One * G.size()) {
        Case = Out.Members.size();
        if (G.varies())
          MostRows = std::max(MostRows, static_cast<uint32_t>(G.size()));
        Out.Members.emplace_back();
        Out.Rows.emplace_back(std::move(G));
      } else {
        G = LiteralRows(); // not worth it
      }
    }
    if (Case != None) {
      Out.Members[Case].push_back(T);
    } else {
      Out.Members.push_back({T});
      Out.Rows.emplace_back();
    }
  }
  Out.MostRows = MostRows;
  return Out;
}

/// A switch over what comes next. IsWhole: all that comes, as a loop. Counts: items are counted down by n, which must
/// not count what a rank does not have.
std::string Program::choice(const RankedItems &X, bool IsWhole, bool Counts) {
  std::vector<Piece> Pieces;
  for (uint32_t T = 0; T < X.Items.size(); ++T)
    Pieces.push_back(piece(X, T, Counts));
  Cases All = casesOf(Pieces);
  const uint64_t Step = All.Members.size();
  RankedItems Renamed = X;
  if (Step < Pieces.size() && Step * All.MostRows <= UINT32_MAX) {
    std::vector<uint32_t> Codes(Pieces.size());
    for (uint32_t Case = 0; Case < Step; ++Case)
      for (uint32_t Row = 0; Row < All.Members[Case].size(); ++Row)
        Codes[All.Members[Case][Row]] =
            static_cast<uint32_t>(Case + (All.Rows[Case] && All.Rows[Case]->varies() ? Row * Step : 0));
    Renamed.Order = X.Order.expanded();
    for (auto &Rule : Renamed.Order.Rules)
      for (GrammarSymbol &Y : Rule)
        if (!Y.IsRule)
          Y.Value = Codes[Y.Value];
  } else {
    All = {};
    for (uint32_t T = 0; T < Pieces.size(); ++T)
      All.Members.push_back({T});
    All.Rows.resize(Pieces.size());
  }
  const std::string Cursor = Streams.cursor({Renamed}, X.Ranks, IsWhole ? "sequence" : "choice"),
                    Next = "next(&" + Cursor + ")", Number = std::to_string(Step);
  std::string Out;
  const bool HasRows = All.MostRows > 1;
  if (HasRows)
    Out =
        IsWhole ? "const long row = k / " + Number + ";\n" : "const long k = " + Next + ", row = k / " + Number + ";\n";
  std::vector<std::pair<size_t, std::string>> Cases;
  for (size_t Case = 0; Case < All.Members.size(); ++Case) {
    const Piece &P = Pieces[All.Members[Case][0]];
    std::string Text = textOf(All.Rows[Case] ? P.with(All.Rows[Case]->text(S)) : P);
    if (!Text.empty())
      Cases.emplace_back(Case, std::move(Text));
  }
  Out += switchOver(HasRows ? "k % " + Number : IsWhole ? "k" : Next, Cases);
  if (!IsWhole)
    return HasRows ? "{\n" + indented(Out) + "}" : Out;
  return "for (long k = " + Next + "; k >= 0; k = " + Next + ") " + block(Out);
}

} // namespace pilgrim
