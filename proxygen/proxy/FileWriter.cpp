//===- FileWriter.cpp - what opening a file needs before it -----------------===//
#include "proxygen/proxy/CallWriter.h"

#include <algorithm>

namespace pilgrim {

/// Whether the call never worked.
bool CallWriter::fails() const {
  const SlotShape &Result = C->Slots[0];
  return Result.T == Tag::Word && !Result.IsStreamed && Result.Words[0].isConst() && Result.Words[0].single().C != 0;
}

/// A call that opened or deleted a file found it as the recorded one did.
void CallWriter::findFile(std::span<const std::string> Arguments) {
  const SlotShape &Result = C->Slots[0];
  if (fails() || (Result.T == Tag::Word && (Result.IsStreamed || !Result.Words[0].isConst())))
    return;
  std::string Call;
  const bool Deletes = C->Function->Name == "MPI_File_delete";
  for (const std::string_view Name : {"filename", "amode", "comm"}) {
    if (Deletes && Name != "filename") {
      Call += Name == "amode" ? ", 0" : ", MPI_COMM_SELF";
      continue;
    }
    const auto At = std::ranges::find_if(Info->Params, [&](const ParamInfo &I) { return Name == I.Name; });
    if (At == Info->Params.end())
      return;
    const std::string &Argument = Arguments[static_cast<size_t>(At - Info->Params.begin())];
    if (Argument.find("next") != std::string::npos)
      return; // it is another one from call to call, and is taken once
    Call += (Call.empty() ? "as_found(" : ", ") + Argument;
  }
  S.use("as_found");
  Before.push_back(Call + ");");
}

} // namespace pilgrim
