#include "backend/environments/environments_config.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/edf/paths.h"

namespace carme::backend {
namespace {

bool IsVariableName(const std::string& name) {
  return !absl::ascii_isdigit(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return absl::ascii_isalnum(c) || c == '_';
         });
}

}  // namespace

void ReadEnvironmentsConfig(ConfigTable table, EnvironmentsConfig* config) {
  table.Read("edf", &config->offered);
  table.Read("system_directories", &config->system_directories);
  for (std::string& directory : config->system_directories) {
    if (directory.empty() || directory[0] != '/' || HasParent(directory)) {
      table.Refuse("system_directories",
                   absl::StrCat("\"", directory,
                                "\": expected absolute paths without \"..\""));
      continue;
    }
    directory = AbsolutePath(directory, "/");
  }
  ConfigTable variables = table.Table("variables");
  for (const std::string& name : variables.Keys()) {
    variables.Read(name, &config->variables[name]);
    if (name.empty() || IsVariableName(name)) continue;
    variables.Refuse(name, "expected letters, digits and \"_\"");
  }
}

}  // namespace carme::backend
