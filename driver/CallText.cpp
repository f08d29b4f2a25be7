//===- CallText.cpp - calls as lines --------------------------------------===//
#include "driver/CallText.h"
#include "driver/Output.h"
#include "trace/base/Counted.h"
#include "trace/read/Untraced.h"
#include "trace/times/TimeBins.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <map>

namespace pilgrim {

/// With nine digits behind the point; printf would take longer than all the
/// rest of a line.
static void appendSeconds(std::string &Out, double V) {
  constexpr double Giga = 1e9;
  if (!(std::abs(V) < 9e9)) {
    char Buffer[400];
    int N = std::snprintf(Buffer, sizeof Buffer, "%.9f", V);
    Out.append(Buffer, static_cast<size_t>(N));
    return;
  }
  int64_t Nano = std::llround(V * Giga);
  if (Nano < 0) {
    Out += '-';
    Nano = -Nano;
  }
  appendNumber(Out, Nano / 1000000000);
  char Digits[10] = {'.'};
  int64_t Rest = Nano % 1000000000;
  for (int I = 9; I > 0; --I, Rest /= 10)
    Digits[I] = static_cast<char>('0' + Rest % 10);
  Out.append(Digits, sizeof Digits);
}

/// Of an error. It takes a while to make them.
static const TimeBins &binsOf(uint32_t Error) {
  static std::map<uint32_t, TimeBins> Known;
  return Known.try_emplace(Error, TimeBound{Error, 0}).first->second;
}

/// A bin's value may lie beyond all that are in it.
static uint64_t quantile(const Spread &S, double Share) {
  return std::clamp(binsOf(S.Bins.Error).value(S.Bins.quantile(Share)), S.Min, S.Max);
}

std::string binsAsJson(const TimeHistogram &H) {
  std::string Out = "[";
  for (uint32_t I = 0; I < H.Counts.size(); ++I)
    if (H.Counts[I])
      Out += fmt::format("{}[{:.9f},{}]", Out.size() == 1 ? "" : ",",
                         static_cast<double>(binsOf(H.Error).value(H.First + I)) / 1e9, H.Counts[I]);
  return Out + "]";
}

std::string spreadHeader(bool HasHistograms) {
  std::string Out = fmt::format(" {:>11} {:>11} {:>11}", "min [us]", "max [us]", "dev [us]");
  return HasHistograms ? Out + fmt::format(" {:>11} {:>11}", "50% [us]", "99% [us]") : Out;
}

/// Nanoseconds as microseconds, with three digits: a trace of many ranks has no more. Rounded by Round.
static std::string microseconds(double Nano, double (*Round)(double)) {
  if (Nano <= 0)
    return "0";
  const double Digits = std::max(-3.0, std::floor(std::log10(Nano / 1e3)) - 2), Unit = std::pow(10, Digits);
  const double Units = Nano / 1e3 / Unit, Near = std::round(Units);
  // A whole number of units stays one, although it was divided.
  return fmt::format("{:.{}f}", (std::abs(Units - Near) < 1e-6 ? Near : Round(Units)) * Unit,
                     Digits < 0 ? static_cast<int>(-Digits) : 0);
}

std::string spreadColumns(const Spread &S, uint64_t Calls, bool HasHistograms) {
  std::string Out(3 * 12, ' ');
  const bool IsWhole = Calls && S.Count == Calls;
  // Outwards; what is one value is shown as one.
  auto Limit = [&](uint64_t Nano, double (*Round)(double)) {
    return microseconds(static_cast<double>(Nano), S.Min == S.Max ? [](double V) { return std::round(V); } : Round);
  };
  if (IsWhole)
    Out = fmt::format(" {:>11} {:>11} {:>11}", Limit(S.Min, std::floor), Limit(S.Max, std::ceil),
                      microseconds(S.deviation(), std::round));
  if (!HasHistograms)
    return Out;
  if (!IsWhole || !S.hasHistogram())
    return Out + std::string(2 * 12, ' ');
  return Out + fmt::format(" {:>11} {:>11}", microseconds(static_cast<double>(quantile(S, 0.5)), std::round),
                           microseconds(static_cast<double>(quantile(S, 0.99)), std::round));
}

std::string timeHeader() { return "       time [s]  time %"; }

std::string timeColumns(const MeasuredPart &Time, uint64_t All) {
  const auto Sum = static_cast<double>(Time.Sum);
  return fmt::format(" {:>14} {:>7.2f}", fmt::format("{}{:.6f}", Time.IsMean ? "~" : "", Sum / 1e9),
                     All ? 100 * Sum / static_cast<double>(All) : 0.0);
}

std::string untracedText(uint64_t Calls) { return "(" + counted(Calls, "call") + " not traced)"; }

void CallText::matched(std::string &Out, const Value &V) {
  if (V.T == Tag::Status)
    return Values.appendStatus(Out, V.Words, false);
  Out += '[';
  for (size_t I = 0; I < V.Words.size(); I += StatusWords) {
    if (I)
      Out += Values.form() == ValueText::Form::Json ? "," : ", ";
    Values.appendStatus(Out, V.Words.subspan(I, StatusWords), false);
  }
  Out += ']';
}

void CallText::result(std::string &Out, const Call &C) {
  static constexpr Value None;
  Values.append(Out, C.Function->Slots[0], hasReturned(C) ? C.Slots[0] : None, *C.View);
}

void CallText::jsonBody(std::string &Out, const Call &C) {
  Out += ",\"func\":";
  appendJson(Out, C.Function->Name);
  Out += ",\"args\":{";
  const auto &Schema = C.Function->Slots;
  for (size_t I = 1; I < C.Slots.size(); ++I) {
    if (Schema[I].IsHidden)
      continue;
    if (Out.back() != '{')
      Out += ',';
    appendJson(Out, Schema[I].Name);
    Out += ':';
    Values.append(Out, Schema[I], C.Slots[I], *C.View);
  }
  Out += "},\"ret\":";
  result(Out, C);
  Out += ",\"site\":";
  const SiteText Site = siteOf(C);
  if (Site[0].Text.empty())
    Out += "null";
  else
    appendJson(Out, Site[0].Text);
  for (size_t I = 1; I < Site.size(); ++I) {
    Out += I == 1 ? ",\"callers\":[" : ",";
    appendJson(Out, Site[I].Text);
  }
  if (Site.size() > 1)
    Out += ']';
  if (const Value *V = matchedSlot(Values, C)) {
    Out += ",\"matched\":";
    matched(Out, *V);
  }
}

void CallText::textBody(std::string &Out, const Call &C) {
  Out.append(C.Depth * size_t(2) + 1, ' ');
  if (isUntraced(*C.Function)) {
    Out += untracedText(untracedCalls(C));
    return;
  }
  if (isFreed(*C.Function)) {
    Out += '(';
    if (C.Slots.size() > FreedBlock)
      Values.append(Out, C.Function->Slots[FreedBlock], C.Slots[FreedBlock], *C.View);
    Out += " freed)";
    return;
  }
  Out += styled(Look::Name, C.Function->Name);
  Out += '(';
  const auto &Schema = C.Function->Slots;
  bool First = true;
  for (size_t I = 1; I < C.Slots.size(); ++I) {
    if (Schema[I].IsHidden)
      continue;
    if (!First)
      Out += ", ";
    First = false;
    Out += Schema[I].Name;
    Out += '=';
    Values.append(Out, Schema[I], C.Slots[I], *C.View);
  }
  Out += ") = ";
  result(Out, C);
  if (const Value *V = matchedSlot(Values, C)) {
    Out += " matched ";
    matched(Out, *V);
  }
  if (std::string Site = chainText(siteOf(C)); !Site.empty())
    Out += " at " + Site;
}

void CallText::body(std::string &Out, const Call &C) {
  if (Values.form() == ValueText::Form::Json)
    jsonBody(Out, C);
  else
    textBody(Out, C);
}

void CallText::append(std::string &Out, const Call &C) {
  bool Json = Values.form() == ValueText::Form::Json;
  if (Json) {
    Out += "{\"rank\":";
    appendNumber(Out, C.View->rank());
    Out += ",\"thread\":";
    appendNumber(Out, C.View->thread());
    Out += ",\"seq\":";
    appendNumber(Out, static_cast<int64_t>(C.Seq));
    Out += ",\"depth\":";
    appendNumber(Out, C.Depth);
  } else {
    appendNumber(Out, C.View->rank());
    Out += '.';
    appendNumber(Out, C.View->thread());
    Out += " #";
    appendNumber(Out, static_cast<int64_t>(C.Seq));
  }
  const RankView &View = *C.View;
  if (!HasBodies || Rank != View.rank() || Thread != View.thread()) {
    HasBodies = true;
    Rank = View.rank();
    Thread = View.thread();
    Bodies.assign(View.signatures().size(), {});
  }
  if (View.signatures()[C.Terminal].isConstant()) {
    std::string &Kept = Bodies[C.Terminal];
    if (Kept.empty())
      body(Kept, C);
    Out += Kept;
  } else {
    body(Out, C);
  }
  if (C.Timed != Call::Time::None) {
    // Where they are not the call's own, they are means of all calls of a measure, and their sum.
    const bool IsOwn = C.Timed == Call::Time::Own;
    Out += Json ? ",\"start\":" : IsOwn ? " start " : " start ~";
    appendSeconds(Out, C.Start);
    if (hasReturned(C)) {
      Out += Json ? ",\"duration\":" : IsOwn ? " took " : " took ~";
      appendSeconds(Out, C.Duration);
    } else if (Json) {
      Out += ",\"duration\":null";
    }
    if (Json)
      Out += IsOwn ? ",\"timed\":\"call\"" : ",\"timed\":\"mean\"";
  }
  Out += Json ? "}\n" : "\n";
}

} // namespace pilgrim
