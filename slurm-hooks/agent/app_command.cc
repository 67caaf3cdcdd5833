#include "slurm-hooks/agent/app_command.h"

#include <map>

#include "absl/strings/str_cat.h"

namespace carme::agent {

std::string Substitute(std::string_view text, const AppPlaces& places) {
  const std::pair<std::string_view, const std::string&> words[] = {
      {"{socket}", places.socket},
      {"{dir}", places.dir},
      {"{host}", places.host}};
  std::string result;
  while (!text.empty()) {
    bool replaced = false;
    for (const auto& [word, value] : words) {
      if (text.starts_with(word)) {
        result += value;
        text.remove_prefix(word.size());
        replaced = true;
        break;
      }
    }
    if (!replaced) {
      result += text[0];
      text.remove_prefix(1);
    }
  }
  return result;
}

std::vector<std::string> Substitute(const std::vector<std::string>& command,
                                    const AppPlaces& places) {
  std::vector<std::string> arguments;
  for (const std::string& text : command) {
    arguments.push_back(Substitute(std::string_view(text), places));
  }
  return arguments;
}

std::vector<std::string> AppEnvironment(
    const std::vector<std::string>& environment, const UserAccount& account,
    const std::string& dir) {
  std::map<std::string, std::string> values = {
      {"HOME", account.home},   {"USER", account.name},
      {"SHELL", account.shell}, {"LOGNAME", account.name},
      {"LANG", "C.UTF-8"},      {"PATH", "/usr/local/bin:/usr/bin:/bin"}};
  for (const std::string& entry : environment) {
    const size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0) continue;
    values[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  values["XDG_RUNTIME_DIR"] = dir;
  values["JUPYTER_RUNTIME_DIR"] = absl::StrCat(dir, "/jupyter");
  std::vector<std::string> result;
  for (const auto& [name, value] : values) {
    result.push_back(absl::StrCat(name, "=", value));
  }
  return result;
}

}  // namespace carme::agent
