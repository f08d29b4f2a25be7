//===- Matrix.cpp - pilgrim matrix ----------------------------------------===//
//
// Messages and bytes by sender and receiver: a table, CSV, JSON, a picture.
//
//===----------------------------------------------------------------------===//
#include "driver/Command.h"
#include "driver/Input.h"
#include "driver/MatrixCells.h"
#include "driver/Output.h"
#include "driver/ValueText.h"
#include "driver/WholeFile.h"
#include "trace/base/Counted.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace pilgrim {

namespace {
struct MatrixOptions {
  std::string File, Svg, ByWhat, Collectives = "none";
  bool Json = false, Csv = false;
};

constexpr uint32_t MaxSingle = 64; ///< ranks that have a row each
constexpr uint32_t TableBlocks = 16, PictureBlocks = 64;

class MatrixReport {
public:
  MatrixReport(const MatrixOptions &O, const Traffic &T, uint32_t World) : O(O), T(T), World(World) {}

  bool json(Output &To) {
    To.Text += fmt::format("{{\"ranks\":{},\"collectives\":\"{}\",\"by\":", World, O.Collectives);
    if (O.ByWhat.empty())
      To.Text += "null";
    else
      appendJson(To.Text, O.ByWhat);
    To.Text += fmt::format(
        ",\"messages\":{},\"bytes\":{},\"unknown\":{{\"messages\":{},\"bytes\":{},\"starts\":{}}},\"pairs\":[",
        T.Messages, T.Bytes, T.UnknownMessages, T.UnknownBytes, T.UnknownStarts);
    bool IsFirst = true;
    forEach(To, [&](const std::string &Part, uint32_t From, std::optional<uint32_t> Receiver, const MatrixCell &C) {
      To.Text += IsFirst ? "\n{" : ",\n{";
      IsFirst = false;
      if (!O.ByWhat.empty()) {
        appendJson(To.Text, O.ByWhat);
        To.Text += ':';
        appendJson(To.Text, Part);
        To.Text += ',';
      }
      To.Text += fmt::format("\"sender\":{},\"receiver\":{},\"messages\":{},\"bytes\":{}}}", From,
                             text(Receiver, "null"), C.Messages, C.Bytes);
    });
    To.Text += "]}\n";
    return To.finish();
  }

  bool csv(Output &To) {
    if (!O.ByWhat.empty())
      To.Text += O.ByWhat + ",";
    To.Text += "sender,receiver,messages,bytes\n";
    forEach(To, [&](const std::string &Part, uint32_t From, std::optional<uint32_t> Receiver, const MatrixCell &C) {
      if (!O.ByWhat.empty())
        To.Text += quoted(Part) + ",";
      To.Text += fmt::format("{},{},{},{}\n", From, text(Receiver, ""), C.Messages, C.Bytes);
    });
    return To.finish();
  }

  bool table(Output &To) {
    To.Text += total() + "\n";
    if (T.UnknownMessages)
      To.Text += volume(T.UnknownMessages, T.UnknownBytes) + " to receivers that the trace does not tell\n";
    if (T.UnknownStarts)
      To.Text += counted(T.UnknownStarts, "start") +
                 " of requests that no recorded call of the thread made: what they send is not counted\n";
    for (uint32_t Part : order()) {
      MatrixCells Cells(World, World > MaxSingle ? TableBlocks : MaxSingle);
      uint64_t Messages = 0, Bytes = 0;
      sum(Cells, Part, Messages, Bytes);
      if (!O.ByWhat.empty())
        To.Text += fmt::format("\n{} {}: {}\n", O.ByWhat, printable(T.Parts[Part]), volume(Messages, Bytes));
      if (!Messages)
        continue;
      grid(To.Text, Cells, "bytes", [](const MatrixCell &C) { return C.Bytes; });
      grid(To.Text, Cells, "messages", [](const MatrixCell &C) { return C.Messages; });
      if (!To.drain())
        break;
    }
    return To.finish();
  }

  /// A square for each pair of blocks, the darker the more bytes, by orders of magnitude.
  std::string svg() const {
    MatrixCells Cells(World, PictureBlocks);
    for (const Flow &F : T.Flows)
      Cells.add(F);
    const uint32_t N = Cells.blocks();
    uint64_t Least = UINT64_MAX, Most = 0;
    for (uint32_t I = 0; I < N; ++I)
      for (uint32_t J = 0; J < N; ++J)
        if (uint64_t B = Cells.at(I, J).Bytes) {
          Least = std::min(Least, B);
          Most = std::max(Most, B);
        }
    constexpr int Margin = 70;
    const int Square = std::clamp(640 / static_cast<int>(std::max<uint32_t>(N, 1)), 10, 40);
    const int Side = static_cast<int>(N) * Square;
    std::string Out = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{0}\" "
                                  "font-family=\"sans-serif\" font-size=\"11\">\n"
                                  "<title>Bytes by sender and receiver</title>\n"
                                  "<text x=\"{1}\" y=\"16\">{2}</text>\n"
                                  "<text x=\"{1}\" y=\"34\">receiver</text>\n<text x=\"6\" y=\"{1}\">sender</text>\n"
                                  "<rect x=\"{1}\" y=\"{1}\" width=\"{3}\" height=\"{3}\" fill=\"none\" "
                                  "stroke=\"#888\"/>\n",
                                  Side + Margin + 20, Margin, total(), Side);
    const uint32_t Step = std::max<uint32_t>(N / 8, 1);
    for (uint32_t I = 0; I < N; I += Step) {
      const int At = Margin + static_cast<int>(I) * Square;
      const std::string Name = Cells.name(I).substr(0, Cells.name(I).find('-'));
      Out += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n",
                         At, Margin - 6, Name, Margin - 6, At + 10, Name);
    }
    for (uint32_t I = 0; I < N; ++I)
      for (uint32_t J = 0; J < N; ++J) {
        const MatrixCell &C = Cells.at(I, J);
        if (!C.Messages)
          continue;
        const double Share = Most > Least && C.Bytes
                                 ? std::log(static_cast<double>(C.Bytes) / static_cast<double>(Least)) /
                                       std::log(static_cast<double>(Most) / static_cast<double>(Least))
                             : C.Bytes ? 1.0
                                       : 0.0;
        const int Light = 92 - static_cast<int>(std::lround(62 * Share));
        Out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"hsl(210,70%,{}%)\"><title>{} to "
                           "{}: {}</title></rect>\n",
                           Margin + static_cast<int>(J) * Square, Margin + static_cast<int>(I) * Square, Square, Square,
                           Light, Cells.name(I), Cells.name(J), volume(C.Messages, C.Bytes));
      }
    return Out + "</svg>\n";
  }

private:
  static std::string volume(uint64_t Messages, uint64_t Bytes) {
    return counted(Messages, "message") + ", " + counted(Bytes, "byte");
  }
  std::string total() const { return volume(T.Messages, T.Bytes) + " between " + counted(World, "rank"); }
  static std::string text(std::optional<uint32_t> Rank, const char *None) {
    return Rank ? std::to_string(*Rank) : None;
  }

  /// A field of CSV.
  static std::string quoted(const std::string &Text) {
    if (Text.find_first_of(",\"\n\r") == std::string::npos)
      return Text;
    std::string Out = "\"";
    for (char C : Text)
      (Out += C == '"' ? "\"" : "") += C;
    return Out + '"';
  }

  /// Parts that send anything, by name.
  std::vector<uint32_t> order() const {
    std::vector<bool> IsThere(T.Parts.size(), O.ByWhat.empty());
    for (const Flow &F : T.Flows)
      IsThere[F.Part] = true;
    std::vector<uint32_t> L;
    for (uint32_t I = 0; I < T.Parts.size(); ++I)
      if (IsThere[I])
        L.push_back(I);
    std::sort(L.begin(), L.end(), [&](uint32_t A, uint32_t B) { return T.Parts[A] < T.Parts[B]; });
    return L;
  }

  template <typename Fn> void forEach(Output &To, Fn &&F) {
    for (uint32_t Part : order()) {
      std::vector<const Flow *> Own;
      for (const Flow &X : T.Flows)
        if (X.Part == Part)
          Own.push_back(&X);
      forEachCell(Own, World, [&](uint32_t From, std::optional<uint32_t> Receiver, const MatrixCell &C) {
        F(T.Parts[Part], From, Receiver, C);
        return To.drain();
      });
    }
  }

  void sum(MatrixCells &Cells, uint32_t Part, uint64_t &Messages, uint64_t &Bytes) const {
    for (const Flow &F : T.Flows)
      if (F.Part == Part)
        Cells.add(F);
    auto Add = [](uint64_t &Sum, uint64_t X) {
      if (__builtin_add_overflow(Sum, X, &Sum))
        Sum = UINT64_MAX;
    };
    for (uint32_t I = 0; I < Cells.blocks(); ++I)
      for (uint32_t J = 0; J < Cells.blocks(); ++J) {
        Add(Messages, Cells.at(I, J).Messages);
        Add(Bytes, Cells.at(I, J).Bytes);
      }
  }

  /// A number as it is, or with three digits and a unit where a cell stands for many ranks.
  static std::string number(uint64_t N, bool IsShort) {
    if (!N)
      return ".";
    if (!IsShort || N < 10000)
      return std::to_string(N);
    const char *Unit = "kMGTPE";
    double V = static_cast<double>(N) / 1000;
    for (; V >= 999.5; V /= 1000)
      ++Unit;
    return fmt::format("{:.{}f}{}", V, V < 9.995 ? 2 : V < 99.95 ? 1 : 0, *Unit);
  }

  template <typename Fn> void grid(std::string &Out, const MatrixCells &Cells, const char *What, Fn &&Of) const {
    const bool IsShort = World > MaxSingle;
    const uint32_t N = Cells.blocks();
    std::vector<size_t> Width;
    size_t First = std::strlen(What);
    for (uint32_t J = 0; J < N; ++J) {
      Width.push_back(Cells.name(J).size());
      First = std::max(First, Width[J]);
      for (uint32_t I = 0; I < N; ++I)
        Width[J] = std::max(Width[J], number(Of(Cells.at(I, J)), IsShort).size());
    }
    Out += fmt::format("\n{:<{}}", What, First);
    for (uint32_t J = 0; J < N; ++J)
      Out += fmt::format(" {:>{}}", Cells.name(J), Width[J]);
    Out += '\n';
    for (uint32_t I = 0; I < N; ++I) {
      Out += fmt::format("{:>{}}", Cells.name(I), First);
      for (uint32_t J = 0; J < N; ++J)
        Out += fmt::format(" {:>{}}", number(Of(Cells.at(I, J)), IsShort), Width[J]);
      Out += '\n';
    }
  }

  const MatrixOptions &O;
  const Traffic &T;
  uint32_t World;
};

int matrix(const MatrixOptions &O) {
  if (!O.Svg.empty())
    if (int Code = refuseInput("--svg", O.Svg, {&O.File, 1}))
      return Code;
  auto T = openTrace(O.File);
  if (!T)
    return 2;
  Walk W(*T);
  const Traffic::By By = O.ByWhat == "communicator" ? Traffic::By::Communicator
                         : O.ByWhat == "function"   ? Traffic::By::Function
                         : O.ByWhat == "site"       ? Traffic::By::Site
                                                    : Traffic::By::Nothing;
  const Traffic Found = findTraffic(W, By, O.Collectives == "logical");
  if (!Found.Error.empty())
    return fail(O.File, Found.Error);
  MatrixReport Report(O, Found, W.world());
  if (!O.Svg.empty())
    return writeWhole(O.Svg, Report.svg());
  Output Out;
  if (O.Json)
    return Report.json(Out) ? 0 : 2;
  if (O.Csv)
    return Report.csv(Out) ? 0 : 2;
  return Report.table(Out) ? 0 : 2;
}
} // namespace

void addMatrix(CommandLine &Tool) {
  Command C = Tool.add("matrix", "Sum up messages and bytes by sender and receiver");
  auto O = std::make_shared<MatrixOptions>();
  C.add("TRACE", O->File, "trace file").required();
  C.add("--by", O->ByWhat, "a matrix for each: communicator, function, site")
      .oneOf({"communicator", "function", "site"})
      .argument("WHAT");
  C.add("--collectives", O->Collectives,
        "none (default): only messages from one process to another; logical: also what collective calls move "
        "between processes, whatever way they do it")
      .oneOf({"none", "logical"})
      .argument("WHICH");
  const Option Csv = C.flag("--csv", O->Csv, "a line for each pair that exchanges messages");
  const Option Json =
      C.flag("--json", O->Json, "as one JSON object, with the pairs that exchange messages").excludes(Csv);
  C.add("--svg", O->Svg, "write a picture to this file, and no table").argument("FILE").excludes(Csv).excludes(Json);
  C.example("pilgrim matrix app.pilgrim", "who sends how much to whom");
  C.example("pilgrim matrix --svg app.svg app.pilgrim", "the same as a picture");
  C.runs([O] { return matrix(*O); });
}

} // namespace pilgrim
