#include "backend/environments/environments_config.h"

#include "absl/strings/str_cat.h"
#include "common/edf/paths.h"
#include "common/name_rules.h"
#include "common/packages/package_rules.h"

namespace carme::backend {
namespace {

void ReadPackageSources(ConfigTable table, PackageSources* sources) {
  table.Read("debian_mirror_url", &sources->debian_mirror_url);
  table.Read("debian_suite", &sources->debian_suite);
  table.Read("pip_index_url", &sources->pip_index_url);
  table.Read("conda_channel_url", &sources->conda_channel_url);
  table.Read("micromamba", &sources->micromamba);
  // Debian's archive is signed.
  if (!sources->debian_mirror_url.empty() &&
      !IsPackageUrl(sources->debian_mirror_url, /*insecure=*/true)) {
    table.Refuse("debian_mirror_url",
                 "expected http:// or https://, a host and a path");
  }
  if (!IsDebianSuite(sources->debian_suite)) {
    table.Refuse("debian_suite", "expected the name of a release");
  }
  if (!sources->pip_index_url.empty() &&
      !IsPackageUrl(sources->pip_index_url)) {
    table.Refuse("pip_index_url", "expected https://, a host and a path");
  }
  if (!sources->conda_channel_url.empty() &&
      !IsPackageUrl(sources->conda_channel_url)) {
    table.Refuse("conda_channel_url", "expected https://, a host and a path");
  }
  if (sources->conda_channel_url.empty() != sources->micromamba.empty()) {
    table.Refuse(
        sources->micromamba.empty() ? "conda_channel_url" : "micromamba",
        "conda_channel_url and micromamba require each other");
  }
  if (!sources->micromamba.empty() && !IsDefinitionPath(sources->micromamba)) {
    table.Refuse("micromamba",
                 "expected an absolute path of letters, digits and "
                 "\"._+@-/\"");
  }
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
  table.Read("template_file", &config->template_file);
  ReadPackageSources(table.Table("packages"), &config->packages);
  ConfigTable variables = table.Table("variables");
  for (const std::string& name : variables.Keys()) {
    variables.Read(name, &config->variables[name]);
    if (name.empty() || kVariableNameRule.Allows(name)) continue;
    variables.Refuse(name, "expected letters, digits and \"_\"");
  }
}

}  // namespace carme::backend
