#include "backend/environments/environments_config.h"

#include "absl/strings/str_cat.h"
#include "common/edf/paths.h"
#include "common/name_rules.h"

namespace carme::backend {
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
    if (name.empty() || kVariableNameRule.Allows(name)) continue;
    variables.Refuse(name, "expected letters, digits and \"_\"");
  }
}

}  // namespace carme::backend
