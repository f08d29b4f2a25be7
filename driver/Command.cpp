//===- Command.cpp - what every command of the tool shares ----------------===//
#include "driver/Command.h"

#include <cstdio>

namespace pilgrim {

int fail(std::string_view What) {
  std::fflush(stdout);
  std::fprintf(stderr, "pilgrim: %.*s\n", static_cast<int>(What.size()), What.data());
  return 2;
}

int fail(std::string_view File, std::string_view What) { return fail(std::string(File) + ": " + std::string(What)); }

void addLater(CLI::App &Command, std::initializer_list<const char *> Names) {
  for (const char *Name : Names)
    Command
        .add_option_function<std::vector<std::string>>(Name,
                                                       [Name = std::string(Name)](const std::vector<std::string> &) {
                                                         throw CLI::ValidationError(Name, "not in this version");
                                                       })
        ->group("")
        ->expected(0, 1000);
}

} // namespace pilgrim
