//===- Completion.cpp - completion of commands in a shell -----------------===//
//
// The scripts come from the tables that --help comes from, so they know every option and every value that it shows.
//
//===----------------------------------------------------------------------===//
#include "driver/Completion.h"
#include "driver/Command.h"
#include "driver/Output.h"

namespace pilgrim {

namespace {
std::string joined(const std::vector<std::string> &Words) {
  std::string Out;
  for (const std::string &Word : Words)
    Out += (Out.empty() ? "" : " ") + Word;
  return Out;
}

/// Text with a backslash before each of Special.
std::string escaped(const std::string &Text, std::string_view Special) {
  std::string Out;
  for (char C : Text) {
    if (Special.find(C) != std::string_view::npos)
      Out += '\\';
    Out += C;
  }
  return Out;
}

/// A word for a shell.
std::string quotedWord(const std::string &Text) {
  std::string Out = "'";
  for (char C : Text)
    Out += C == '\'' ? std::string("'\\''") : std::string(1, C);
  return Out + "'";
}

/// All names of a command's options.
std::vector<std::string> namesOf(const CommandShape &C) {
  std::vector<std::string> Out;
  for (const OptionShape &O : C.Options)
    if (!O.IsArgument)
      Out.insert(Out.end(), O.Names.begin(), O.Names.end());
  return Out;
}

/// What stands behind "pilgrim": the commands.
std::vector<std::string> commandNames(const std::vector<CommandShape> &Commands) {
  std::vector<std::string> Out;
  for (const CommandShape &C : Commands)
    if (!C.Name.empty())
      Out.push_back(C.Name);
  return Out;
}

bool takesFiles(const OptionShape &O) { return O.Values.empty() && (O.IsArgument || O.Argument.ends_with("FILE")); }

/// The command's arguments are not files, or not only.
bool isHelp(const CommandShape &C) { return C.Name == "help"; }
bool isRun(const CommandShape &C) { return C.Name == "run"; }
} // namespace

std::string bashCompletion(const std::vector<CommandShape> &Commands) {
  const std::string Names = joined(commandNames(Commands));
  std::string Out = "# Completion of pilgrim's commands in bash.\n"
                    "_pilgrim() {\n"
                    "  local Word=${COMP_WORDS[COMP_CWORD]} Before=${COMP_WORDS[COMP_CWORD-1]} Options=\n"
                    "  COMPREPLY=()\n"
                    "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                    "    COMPREPLY=($(compgen -W \"" +
                    Names + " " + joined(namesOf(Commands.front())) +
                    "\" -- \"$Word\"))\n"
                    "    return\n"
                    "  fi\n"
                    "  case \"${COMP_WORDS[1]} $Before\" in\n";
  for (const CommandShape &C : Commands)
    for (const OptionShape &O : C.Options) {
      if (O.IsArgument || O.Argument.empty() || takesFiles(O))
        continue;
      for (size_t I = 0; I < O.Names.size(); ++I)
        Out += (I ? " | '" : "  '") + C.Name + " " + O.Names[I] + "'";
      Out += ") COMPREPLY=($(compgen -W \"" + joined(O.Values) + "\" -- \"$Word\")); return ;;\n";
    }
  Out += "  esac\n"
         "  case \"${COMP_WORDS[1]}\" in\n";
  for (const CommandShape &C : Commands) {
    if (C.Name.empty())
      continue;
    Out += "  " + C.Name + ") Options=\"" + joined(namesOf(C)) + "\" ;;\n";
  }
  Out += "  esac\n"
         "  case \"$Word\" in\n"
         "  -*) COMPREPLY=($(compgen -W \"$Options\" -- \"$Word\")); return ;;\n"
         "  esac\n"
         "  case \"${COMP_WORDS[1]}\" in\n";
  for (const CommandShape &C : Commands) {
    for (const OptionShape &O : C.Options)
      if (O.IsArgument && !O.Values.empty())
        Out += "  " + C.Name + ") COMPREPLY=($(compgen -W \"" + joined(O.Values) + "\" -- \"$Word\")) ;;\n";
    if (isHelp(C))
      Out += "  help) COMPREPLY=($(compgen -W \"" + Names + "\" -- \"$Word\")) ;;\n";
    if (isRun(C))
      Out += "  run) COMPREPLY=($(compgen -c -- \"$Word\") $(compgen -f -- \"$Word\")) ;;\n";
  }
  return Out + "  *) COMPREPLY=($(compgen -f -- \"$Word\")) ;;\n"
               "  esac\n"
               "}\n"
               "complete -o filenames -F _pilgrim pilgrim\n";
}

std::string zshCompletion(const std::vector<CommandShape> &Commands) {
  std::string Out = "#compdef pilgrim\n"
                    "# Completion of pilgrim's commands in zsh.\n"
                    "_pilgrim() {\n"
                    "  local -a Commands\n"
                    "  Commands=(\n";
  for (const CommandShape &C : Commands)
    if (!C.Name.empty())
      Out += "    " + quotedWord(C.Name + ":" + escaped(C.Help, ":\\")) + "\n";
  Out += "  )\n";
  auto Specs = [](const CommandShape &C) {
    std::string Lines;
    for (const OptionShape &O : C.Options) {
      if (O.IsArgument)
        continue;
      const std::string Values = O.Argument.empty() ? ""
                                                    : ":" + escaped(O.Argument, ":\\") + ":" +
                                                          (takesFiles(O)      ? "_files"
                                                           : O.Values.empty() ? " "
                                                                              : "(" + joined(O.Values) + ")");
      for (const std::string &Name : O.Names)
        Lines += " \\\n      " + quotedWord("*" + Name + "[" + escaped(O.Help, "[]:\\") + "]" + Values);
    }
    return Lines;
  };
  Out += "  if (( CURRENT == 2 )); then\n"
         "    _describe command Commands\n"
         "    _arguments" +
         Specs(Commands.front()) +
         "\n"
         "    return\n"
         "  fi\n"
         "  local Command=$words[2]\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $Command in\n";
  for (const CommandShape &C : Commands) {
    if (C.Name.empty())
      continue;
    std::string Rest = "'*:file:_files'";
    for (const OptionShape &O : C.Options)
      if (O.IsArgument && !O.Values.empty())
        Rest = quotedWord("1:" + escaped(O.Names[0], ":\\") + ":(" + joined(O.Values) + ")");
    if (isHelp(C))
      Rest = "'1:command:(" + joined(commandNames(Commands)) + ")'";
    if (isRun(C))
      Rest = "'*::program:_normal'";
    Out += "  " + C.Name + ")\n    _arguments" + Specs(C) + " \\\n      " + Rest + " ;;\n";
  }
  return Out + "  esac\n"
               "}\n"
               "if [ \"$funcstack[1]\" = _pilgrim ]; then\n"
               "  _pilgrim \"$@\"\n"
               "else\n"
               "  compdef _pilgrim pilgrim\n"
               "fi\n";
}

std::string fishCompletion(const std::vector<CommandShape> &Commands) {
  std::string Out = "# Completion of pilgrim's commands in fish.\n";
  for (const CommandShape &C : Commands) {
    const std::string When = C.Name.empty() ? "__fish_use_subcommand" : "__fish_seen_subcommand_from " + C.Name;
    if (!C.Name.empty())
      Out += "complete -c pilgrim -f -n __fish_use_subcommand -a " + C.Name + " -d " + quotedWord(C.Help) + "\n";
    for (const OptionShape &O : C.Options) {
      std::string Line = "complete -c pilgrim -n '" + When + "'";
      if (O.IsArgument && O.Values.empty())
        continue; // a file, which fish completes by itself
      for (const std::string &Name : O.IsArgument ? std::vector<std::string>() : O.Names)
        Line += Name.starts_with("--") ? " -l " + Name.substr(2) : " -s " + Name.substr(1);
      if (O.IsArgument)
        Line += " -f";
      else if (!O.Argument.empty())
        Line += takesFiles(O) ? " -r" : " -x";
      if (!O.Values.empty())
        Line += " -a " + quotedWord(joined(O.Values));
      Out += Line + " -d " + quotedWord(O.Help) + "\n";
    }
    if (isHelp(C))
      Out += "complete -c pilgrim -f -n '" + When + "' -a " + quotedWord(joined(commandNames(Commands))) + "\n";
  }
  return Out;
}

void addHelp(CommandLine &Tool) {
  Command C = Tool.add("help", "Tell of a command: pilgrim help COMMAND");
  C.usage("Usage: pilgrim help [COMMAND]\n");
}

void addCompletion(CommandLine &Tool) {
  Command C = Tool.add("completion", "Print what a shell reads to complete commands and options");
  auto Shell = std::make_shared<std::string>();
  C.add("SHELL", *Shell, "bash, zsh or fish").required().oneOf({"bash", "zsh", "fish"});
  C.example("source <(pilgrim completion bash)", "in ~/.bashrc, where the installed file is not read by itself");
  C.runs([Shell, &Tool] {
    const auto &Commands = Tool.shapes();
    Output Out;
    Out.Text = *Shell == "bash"  ? bashCompletion(Commands)
               : *Shell == "zsh" ? zshCompletion(Commands)
                                 : fishCompletion(Commands);
    return Out.finish() ? 0 : 2;
  });
}

} // namespace pilgrim
