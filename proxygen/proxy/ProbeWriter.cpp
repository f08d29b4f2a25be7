//===- ProbeWriter.cpp - receives of messages that were probed ------------===//
//
// As replay/ProbedMessages.h: a receive that was as large as the message that MPI_Mprobe found is as large as what it
// finds when the proxy runs.
//
//===----------------------------------------------------------------------===//
#include "proxygen/proxy/CallWriter.h"

#include <algorithm>

namespace pilgrim {

void CallWriter::followProbe(std::span<std::string> Arguments) {
  const std::string &Name = C->Function->Name;
  const bool Receives = Name == "MPI_Mrecv" || Name == "MPI_Imrecv";
  auto ArgumentOf = [&](std::string_view Of) -> std::string & {
    const auto At = std::ranges::find(Info->Params, Of, &ParamInfo::Name);
    return Arguments[static_cast<size_t>(At - Info->Params.begin())];
  };
  auto IsTakenOnce = [](const std::string &Text) { return Text.find("next") != std::string::npos; };
  if (Receives) {
    const std::string Message = ArgumentOf("message");
    if (IsTakenOnce(Message))
      return;
    S.use("probed");
    Before.push_back("void *room = " + ArgumentOf("buf") + ";");
    Before.push_back("int taken = " + ArgumentOf("count") + ";");
    Before.push_back("const MPI_Datatype of_message = " + ArgumentOf("datatype") + ";");
    Before.push_back("void *const larger = take_probed(" + Message + ", &room, &taken, of_message);");
    ArgumentOf("buf") = "room";
    ArgumentOf("count") = "taken";
    ArgumentOf("datatype") = "of_message";
    After.push_back(Name == "MPI_Mrecv" ? "free(larger);" : "(void)larger; /* until the request is complete */");
    return;
  }
  if (Name != "MPI_Mprobe" && Name != "MPI_Improbe")
    return;
  const SlotShape *Status = named("status");
  const std::string Message = ArgumentOf("message");
  if (!Status || (Status->T != Tag::Status && !Status->IsStreamed) || IsTakenOnce(Message) ||
      ArgumentOf("status") != "new_status(1)")
    return;
  S.use("probed");
  const auto Number = static_cast<unsigned>(Status - C->Slots.data());
  const Slot X{C->Function->Slots[Number], Info->Params[Number - 1], *Status, Number};
  const std::string Flag = output("flag");
  std::string Bytes = "bytes";
  if (Status->IsStreamed)
    Before.push_back("const long long bytes = next_int(" + next(X, 2) + ");");
  else
    Bytes = word(X, 2, numberText);
  After.push_back((Flag.empty() ? "" : "if (" + Flag + ")\n    ") + "probed(" + Message + ", " + Bytes + ");");
}

} // namespace pilgrim
