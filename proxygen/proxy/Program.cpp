//===- Program.cpp - the structure of a proxy -----------------------------===//
#include "proxygen/proxy/Program.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace pilgrim {

/// Longer sequences than this are run by a table.
static constexpr size_t MostSymbols = 4000;

std::string indented(const std::string &Text) {
  std::string Out;
  for (size_t At = 0; At < Text.size();) {
    const size_t End = std::min(Text.find('\n', At), Text.size());
    if (End > At)
      Out += "  " + Text.substr(At, End - At);
    Out += '\n';
    At = End + 1;
  }
  return Out;
}

bool isOneLine(const std::string &Text) { return Text.find('\n') == std::string::npos; }

/// Whether it is one block, and not several.
static bool isBlock(const std::string &Text) {
  return Text.starts_with("{\n") && Text.ends_with("\n}") && Text.find("\n}") == Text.size() - 2;
}

std::string block(const std::string &Text) {
  if (isBlock(Text))
    return Text;
  return "{\n" + indented(Text) + "}";
}

/// Of a statement "if (WHEN) BODY", where WHEN depends on the rank alone.
static std::optional<Guarded> guardOf(const std::string &Text) {
  constexpr std::string_view Head = "if (";
  if (!Text.starts_with(Head))
    return std::nullopt;
  size_t At = Head.size();
  for (size_t Open = 1; At < Text.size() && Open; ++At)
    Open += (Text[At] == '(') - (Text[At] == ')');
  const std::string When = Text.substr(Head.size(), At - Head.size() - 1), Rest = Text.substr(At);
  // What comes next in a sequence is asked for once: next(&order).
  for (size_t I = 0; (I = When.find('&', I)) != std::string::npos; I += 2)
    if (When.compare(I, 2, "&&") != 0)
      return std::nullopt;
  if (Rest.starts_with("\n  ") && Rest.find('\n', 1) == std::string::npos)
    return Guarded{When, Rest.substr(3)};
  if (!Rest.starts_with(" ") || !isBlock(Rest.substr(1)))
    return std::nullopt;
  std::string Body;
  for (size_t Line = 3; Line + 1 < Rest.size();) {
    const size_t End = Rest.find('\n', Line);
    Body += (Body.empty() ? "" : "\n") + Rest.substr(std::min(Line + 2, End), End - std::min(Line + 2, End));
    Line = End + 1;
  }
  return Guarded{When, Body};
}

std::string guarded(const std::string &When, const std::string &Body) {
  if (When == "1" || Body.empty())
    return Body;
  if (const auto Inner = guardOf(Body); Inner && Inner->When == When)
    return Body;
  if (When == "0")
    return "";
  if (isOneLine(Body) && !Body.starts_with("if "))
    return "if (" + When + ")\n  " + Body;
  return "if (" + When + ") " + block(Body);
}

/// Whether the statements declare variables that are not in blocks of theirs.
static bool declares(const std::string &Text) {
  for (size_t Line = 0; Line < Text.size(); Line = std::min(Text.find('\n', Line), Text.size() - 1) + 1)
    for (const char *Type : {"const ", "int ", "long ", "char *", "MPI_Request "})
      if (Text.compare(Line, std::strlen(Type), Type) == 0)
        return true;
  return false;
}

void Statements::add(const std::string &Text) {
  if (Text.empty())
    return;
  Guarded Next = guardOf(Text).value_or(Guarded{"1", Text});
  if (All.empty() || All.back().When != Next.When) {
    All.push_back(std::move(Next));
    return;
  }
  std::string &Body = All.back().Body;
  if (declares(Body))
    Body = "{\n" + indented(Body) + "}";
  Body += "\n" + (declares(Next.Body) ? "{\n" + indented(Next.Body) + "}" : Next.Body);
}

std::string Statements::text() const {
  std::string Out;
  for (const Guarded &G : All)
    Out += (Out.empty() ? "" : "\n") + guarded(G.When, G.Body);
  return Out;
}

bool isShortCase(const std::string &Text) {
  constexpr size_t MostOnALine = 120;
  return isOneLine(Text) && Text.size() <= MostOnALine && !Text.starts_with("if ");
}

std::string switchOver(const std::string &What, const std::vector<std::pair<size_t, std::string>> &Cases) {
  if (Cases.size() == 1)
    return guarded(What + " == " + std::to_string(Cases[0].first), Cases[0].second);
  std::string Out = "switch (" + What + ") {\n";
  for (const auto &[Value, Text] : Cases) {
    Out += "case " + std::to_string(Value) + ":" +
           (isShortCase(Text) ? " " + Text + " break;\n" : "\n" + indented(Text + "\nbreak;"));
  }
  return Out + "}";
}

std::string repeated(const std::string &Count, const std::string &Body, const char *Variable) {
  if (Body.empty() || Count == "1")
    return Body;
  const std::string Head =
      std::string("for (long ") + Variable + " = 0; " + Variable + " < " + Count + "; ++" + Variable + ")";
  return isOneLine(Body) ? Head + "\n  " + Body : Head + " " + block(Body);
}

void Program::collect(uint32_t Node, uint32_t Event) {
  if (!Collected.insert({Thread, Node, Event}).second)
    return;
  W.forEachItem(
      Thread, Node, Event, [&](const CallShape &C) { Shapes[{C.Sequence, C.Terminal}].push_back(C); },
      [](const ActivationShape &) {});
}

/// Whether calls of callbacks may stand before an item, which were made in it.
bool Program::hasCallbacks(const RankedItems &X, uint32_t Terminal) {
  if (!HasCallbacks || X.Items[Terminal].IsNode)
    return false;
  auto [It, IsNew] = Around.try_emplace(&X);
  if (!IsNew)
    return It->second.contains(Terminal);
  auto IsInside = [&](uint32_t T) {
    const auto &Shapes = this->Shapes[{&X, T}];
    return !Shapes.empty() && Shapes[0].Depth > 0;
  };
  const GrammarData G = X.Order.expanded();
  std::vector<uint32_t> First(G.Rules.size()), Last(G.Rules.size());
  for (size_t R = G.Rules.size(); R-- > 0;) {
    auto Begin = [&](const GrammarSymbol &S) { return S.IsRule ? First[S.Value] : S.Value; };
    auto End = [&](const GrammarSymbol &S) { return S.IsRule ? Last[S.Value] : S.Value; };
    auto Follow = [&](const GrammarSymbol &A, const GrammarSymbol &B) {
      if (IsInside(End(A)))
        It->second.insert(Begin(B));
    };
    const auto &Rule = G.Rules[R];
    for (size_t I = 0; I < Rule.size(); ++I) {
      Follow(Rule[I], Rule[I]);
      if (I + 1 < Rule.size())
        Follow(Rule[I], Rule[I + 1]);
    }
    if (!Rule.empty()) {
      First[R] = Begin(Rule.front());
      Last[R] = End(Rule.back());
    }
  }
  return It->second.contains(Terminal);
}

/// The whole sequence in one go.
std::string Program::whole(const RankedItems &X) {
  const GrammarData &G = X.Order;
  if (!G.Chunks.empty() || G.symbols() > MostSymbols)
    return choice(X, true, false);
  // Rules from the last on: a rule refers to later ones.
  std::vector<std::string> Texts(G.Rules.size());
  std::vector<uint32_t> Uses(G.Rules.size()), FirstPlace(G.Rules.size());
  uint32_t Place = 0;
  for (size_t R = 0; R < G.Rules.size(); ++R) {
    FirstPlace[R] = Place;
    Place += static_cast<uint32_t>(G.Rules[R].size());
    for (const GrammarSymbol &Y : G.Rules[R])
      if (Y.IsRule)
        ++Uses[Y.Value];
  }
  for (size_t R = G.Rules.size(); R-- > 0;) {
    const std::string Body = rule(X, static_cast<uint32_t>(R), FirstPlace[R], Texts);
    // What is used once stands where it is used.
    Texts[R] = R && Uses[R] > 1 && !Body.empty() && !isOneLine(Body) ? Made.call("part", Body, "", false) : Body;
  }
  return Texts[0];
}

std::string Program::event(uint32_t Node, uint32_t Event) {
  const auto &Events = W.group(Thread).Nodes[Node].Events;
  auto It = Events.find(Event);
  if (It == Events.end())
    return "";
  const EventData &E = It->second;
  collect(Node, Event);
  const RankSet &All = W.group(Thread).Nodes[Node].Ranks;
  Statements Out;
  for (const RankedItems &X : E.Items) {
    std::string Body;
    RankSet Counted;
    for (const RankedStream &P : E.PassesToChange)
      Counted.unite(P.Ranks.common(X.Ranks));
    const bool IsOne = X.Items.size() == 1 && X.Order.isOneTerminal();
    if (Node == 0) {
      Body = whole(X);
    } else {
      bool Lacks = false;
      for (uint32_t T = 0; T < X.Items.size(); ++T)
        Lacks |= lacks(X, T);
      Body = IsOne ? item(X, 0) : choice(X, false, Lacks || !Counted.empty());
      if (Lacks && Counted.empty() && Event)
        Body = "for (long n = 1; n > 0; --n) " + block(Body);
      if (!Counted.empty()) {
        S.use("usual");
        const std::string Key = std::to_string(Thread) + "," + std::to_string(Node) + "," + std::to_string(Event),
                          Name = S.name("usual_" + std::to_string(Node));
        S.declare("static struct usual " + Name + " = {.number = " + (Event ? "1" : "0") + "};\n");
        const std::string Passes = Streams.ints(E.PassesToChange, All, "p" + Key),
                          Counts = Streams.ints(E.UsualItems, All, "c" + Key);
        // The sequences are set up before; they are moved into the counter.
        S.setUp(guarded(Ranks.condition(Counted, All), "{ " + Name + ".passes = " + Passes + "; " + Name +
                                                           ".counts = " + Counts + "; start_usual(&" + Name + "); }"));
        Body = "for (long n = usual(&" + Name + "); n > 0; --n) " + block(Body);
      } else if (Event == 0) {
        Body = ""; // nothing happens before the first event
      }
    }
    Out.add(guarded(Ranks.condition(X.Ranks, All), Body));
  }
  return Out.text();
}

/// One visit: the events of its path.
std::string Program::visit(uint32_t Node, const RankSet &Here) {
  const NodeData &D = W.group(Thread).Nodes[Node];
  std::map<uint32_t, std::string> Texts;
  auto Path = [&](std::span<const uint32_t> Events) {
    Statements Out;
    auto Add = [&](uint32_t Id) {
      auto [It, New] = Texts.try_emplace(Id);
      if (New) {
        It->second = event(Node, Id);
        // Paths share what happens at an event.
        if (!isOneLine(It->second) && D.Paths.size() + (D.Paths.empty() ? 0 : D.Paths[0].Items.size()) > 2)
          It->second = Made.call("event", It->second, "", false);
      }
      Out.add(It->second);
    };
    if (D.Events.contains(0))
      Add(0);
    for (uint32_t Id : Events)
      Add(Id);
    return Out.text();
  };
  std::string Out;
  for (const RankedItems &X : D.Paths) {
    auto One = [&](uint32_t T) {
      // Ranks may have different paths in one place.
      const Entry &Variants = W.group(Thread).table(TableId::Paths)[X.Items[T].Index];
      std::string Text;
      RankSet Left = X.Ranks;
      for (const Variant &V : Variants) {
        const RankSet Own = V.Ranks.common(X.Ranks);
        if (Own.empty())
          continue;
        const std::string Body = Path(V.Tokens);
        if (!Body.empty())
          Text += (Text.empty() ? "" : "\n") + guarded(Ranks.condition(Own, X.Ranks), Body);
      }
      return Text;
    };
    std::string Body;
    if (X.Items.size() == 1) {
      Body = One(0);
    } else {
      const std::string Cursor = Streams.cursor({X}, X.Ranks, "path");
      std::vector<std::pair<size_t, std::string>> Cases;
      for (uint32_t T = 0; T < X.Items.size(); ++T)
        if (std::string Text = One(T); !Text.empty())
          Cases.emplace_back(T, std::move(Text));
      Body = switchOver("next(&" + Cursor + ")", Cases);
    }
    const std::string Guarded = guarded(Ranks.condition(X.Ranks, Here), Body);
    Out += (Out.empty() || Guarded.empty() ? "" : "\n") + Guarded;
  }
  return Out;
}

/// An activation of a node. Wherever it stands, it goes on with the node's sequences: they are made once.
std::string Program::node(uint32_t Node) {
  auto [It, IsNew] = Activations.try_emplace({Thread, Node});
  if (IsNew)
    It->second = newNode(Node);
  return It->second;
}

std::string Program::newNode(uint32_t Node) {
  const NodeData &D = W.group(Thread).Nodes[Node];
  const NodeShape Shape = W.node(Thread, Node);
  std::string Body = visit(Node, D.Ranks);
  if (std::string Count = Streams.onlyValue(D.Visits, D.Ranks); !Count.empty())
    Body = repeated(Count, Body);
  else
    Body = "for (long v = next_int(&" +
           Streams.ints(D.Visits, D.Ranks, "v" + std::to_string(Thread) + "," + std::to_string(Node)) +
           "); v > 0; --v) " + block(Body);
  if (!Shape.Structure || Shape.Structure->Index != 0)
    return Body; // a loop stands where it is
  std::string Comment = Shape.Structure->Name;
  if (!Shape.Structure->File.empty())
    Comment += ", " + Shape.Structure->File + ":" + std::to_string(Shape.Structure->Line);
  if (Comment.find("*/") != std::string::npos)
    Comment.clear();
  return Made.call(Shape.Structure->Name == "main" ? "traced_main" : Shape.Structure->Name, Body, Comment, false);
}

std::string Program::thread(uint32_t Number) {
  Thread = Number;
  return Made.atTop(event(0, 0));
}

void Program::turns() {
  S.use("threads");
  const RankSet All = RankSet::below(W.world());
  const TraceData &D = W.trace().data();
  const std::string Threads = Streams.ints(D.TurnThreads, All, "turns"),
                    Lengths = Streams.ints(D.TurnLengths, All, "lengths of turns");
  S.setUp("turn_threads = " + Threads + ";");
  S.setUp("turn_lengths = " + Lengths + ";");
  S.setUp("next_turn();");
  Calls.nullObjects();
}

} // namespace pilgrim
