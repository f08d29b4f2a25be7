//===- Source.cpp - the parts of a proxy's text ---------------------------===//
#include "proxygen/proxy/Source.h"
#include "proxygen/proxy/Prelude.h"

#include <cctype>
#include <iterator>
#include <ranges>

namespace pilgrim {

/// Names that no function of a traced program may take: of C and its libraries, and of a proxy's own variables. Those
/// of the prelude come from its text.
static constexpr std::string_view OfLibraries =
#include "proxygen/proxy/LibraryNames.inc"
    ;
static constexpr std::string_view OfProxy =
    "argument_count arguments asked_block asked_offset comm errhandler file frame freed freed_block given_block group "
    "info k main_frame "
    "main_stack mapping_bytes mappings message op other own_objects rank req row segment_bytes segment_front "
    "segments session set_up size stack threads type v win ";

namespace {
struct KindText {
  Kind K;
  const char *Array, *Type, *Null;
};
constexpr KindText Kinds[] = {
    {Kind::Comm, "comm", "MPI_Comm", "MPI_COMM_NULL"},
    {Kind::Datatype, "type", "MPI_Datatype", "MPI_DATATYPE_NULL"},
    {Kind::Op, "op", "MPI_Op", "MPI_OP_NULL"},
    {Kind::Group, "group", "MPI_Group", "MPI_GROUP_NULL"},
    {Kind::Win, "win", "MPI_Win", "MPI_WIN_NULL"},
    {Kind::File, "file", "MPI_File", "MPI_FILE_NULL"},
    {Kind::Request, "req", "MPI_Request", "MPI_REQUEST_NULL"},
    {Kind::Message, "message", "MPI_Message", "MPI_MESSAGE_NULL"},
    {Kind::Info, "info", "MPI_Info", "MPI_INFO_NULL"},
    {Kind::Errhandler, "errhandler", "MPI_Errhandler", "MPI_ERRHANDLER_NULL"},
    {Kind::Session, "session", "MPI_Session", "MPI_SESSION_NULL"},
};
} // namespace

Source::Source() {
  for (const std::string_view Text : {OfLibraries, OfProxy})
    for (const auto Name : std::views::split(Text, ' '))
      Names.try_emplace(std::string(std::string_view(Name)), FirstNext);
  for (const KindText &T : Kinds)
    for (const char *End : {"_of", "_made", "_made_of"})
      Names.try_emplace(std::string(T.Array) + End, FirstNext);
  for (std::string &Name : preludeNames())
    Names.try_emplace(std::move(Name), FirstNext);
}

void Source::use(std::string_view Helper) {
  if (!Helpers.emplace(Helper).second)
    return;
  for (std::string_view Needed : preludeNeeds(Helper))
    use(Needed);
}

std::string Source::name(const std::string &Wanted) {
  auto [It, New] = Names.try_emplace(Wanted, FirstNext);
  if (New)
    return Wanted;
  for (unsigned &Next = It->second;;) // which stays where it is when names are added
    if (std::string Other = Wanted + "_" + std::to_string(Next++); Names.try_emplace(Other, FirstNext).second)
      return Other;
}

/// Long lines are broken between elements.
std::string Source::broken(const std::string &Head, std::string_view Content) {
  std::string Out = Head;
  size_t Column = Out.size(), Depth = 0;
  bool IsInString = false;
  for (size_t At = 0; At < Content.size(); ++At) {
    const char C = Content[At];
    Out += C;
    ++Column;
    if (IsInString && C == '\\' && At + 1 < Content.size()) {
      Out += Content[++At];
      ++Column;
    } else if (C == '"') {
      IsInString = !IsInString;
    } else if (!IsInString) {
      Depth += (C == '{') - (C == '}');
      if (C == ' ' && !Depth && Column > 100) {
        Out.back() = '\n';
        Out += "    ";
        Column = 4;
      }
    }
  }
  return Out;
}

std::string Source::table(const std::string &Type, const std::string &Prefix, const std::string &Content,
                          bool IsShared) {
  const std::string Head = "static " + Type + " ";
  if (IsShared)
    if (auto It = Known.find(Head + Content); It != Known.end())
      return It->second;
  const std::string Name = name(Prefix + std::to_string(Next++));
  if (IsShared)
    Known[Head + Content] = Name;
  Tables.emplace_back(Name, broken(Head + Name + "[] = {", Content) + "};\n");
  return Name;
}

void Source::object(Kind K, int64_t Number) {
  int64_t &Largest = Objects.try_emplace(K, -1).first->second;
  Largest = std::max(Largest, std::min<int64_t>(Number, INT32_MAX)); // of another thread's request: not known
}

const char *objectArray(Kind K) {
  for (const KindText &T : Kinds)
    if (T.K == K)
      return T.Array;
  return nullptr;
}

const char *objectType(Kind K) {
  for (const KindText &T : Kinds)
    if (T.K == K)
      return T.Type;
  return nullptr;
}

const char *objectNull(Kind K) {
  for (const KindText &T : Kinds)
    if (T.K == K)
      return T.Null;
  return nullptr;
}

std::string numberText(int64_t V) {
  if (V == INT64_MIN)
    return "(-9223372036854775807 - 1)";
  std::string Text = std::to_string(V);
  return V > INT32_MAX || V < INT32_MIN ? Text + "L" : Text;
}

std::string stringText(std::string_view S) {
  static const char Digits[] = "01234567";
  std::string Out = "\"";
  for (unsigned char C : S)
    if (C == '"' || C == '\\')
      Out += {'\\', static_cast<char>(C)};
    else if (C >= 0x20 && C < 0x7f && C != '?') // no trigraphs
      Out += static_cast<char>(C);
    else
      Out += {'\\', Digits[C >> 6], Digits[C >> 3 & 7], Digits[C & 7]};
  return Out + "\"";
}

std::string identifier(std::string_view Name) {
  std::string Out;
  for (char C : Name)
    Out += std::isalnum(static_cast<unsigned char>(C)) ? C : '_';
  while (Out.ends_with('_') && Out.size() > 1)
    Out.pop_back();
  return Out.empty() || std::isdigit(static_cast<unsigned char>(Out[0])) ? "_" + Out : Out;
}

} // namespace pilgrim
