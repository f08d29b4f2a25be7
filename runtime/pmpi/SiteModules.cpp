//===- SiteModules.cpp - the files that call sites are in -----------------===//
#include "pmpi/SiteModules.h"
#include "platform/Program.h"
#include "trace/model/TraceData.h"

namespace pilgrim {

/// The build id and the path of the module at a place; empty if it has no build id.
static std::string describeModule(const ModulePlace &Place, const std::string &Folder) {
  std::string Id, Path = Place.Path;
  visitModules([&](const ModuleView &M) {
    if (M.firstPage() != Place.FirstPage)
      return false;
    Id = M.buildId(ModuleIdDigits);
    if (M.isProgram())
      if (std::string Program = programPath(); !Program.empty())
        Path = std::move(Program);
    return true;
  });
  if (Id.size() != ModuleIdDigits)
    return "";
  if (!Path.starts_with('/') && !Folder.empty())
    Path = Folder + "/" + Path;
  return Id + " " + Path;
}

void SiteModules::add(const char *Name, const ModulePlace &Place, const std::string &Folder) {
  auto [It, New] = Modules.try_emplace(Name);
  Module &M = It->second;
  if (M.FirstPage == Place.FirstPage)
    return;
  M.FirstPage = Place.FirstPage;
  std::string Text = describeModule(Place, Folder);
  // Two files of one name: a reader could not tell which of them a site is in.
  if (!New && Text != M.Text)
    Text = std::string(UnclearModule);
  M.Text = std::move(Text);
}

void SiteModules::describe(std::map<std::string, std::string> &Meta) const {
  for (const auto &[Name, M] : Modules)
    if (!M.Text.empty())
      Meta[std::string(ModuleKey) + Name] = M.Text;
}

} // namespace pilgrim
