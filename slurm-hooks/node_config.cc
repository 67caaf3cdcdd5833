#include "slurm-hooks/node_config.h"

#include <cstdint>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/config.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr size_t kLongestDirectory = 64;
constexpr std::string_view kFeatureForbids = "&|[](),*! \t";

bool IsHostAndPort(const std::string& text) {
  const size_t colon = text.rfind(':');
  uint32_t port = 0;
  return colon != std::string::npos && colon > 0 &&
         absl::SimpleAtoi(text.substr(colon + 1), &port) && port > 0 &&
         port <= 65535;
}

void CheckPaths(ConfigTable root, const NodeConfig& config) {
  const std::string& directory = config.runtime_directory;
  if (directory.empty() || directory[0] != '/' ||
      directory.size() > kLongestDirectory) {
    root.Refuse("runtime_directory",
                absl::StrCat("\"", directory,
                             "\": expected an absolute path of at most ",
                             kLongestDirectory, " characters"));
  }
  if (!config.ca.empty() && config.ca[0] != '/') {
    root.Refuse("ca",
                absl::StrCat("\"", config.ca, "\": expected an absolute path"));
  }
}

void CheckRest(ConfigTable root, const NodeConfig& config) {
  if (!config.backend.empty() && !IsHostAndPort(config.backend)) {
    root.Refuse("backend",
                absl::StrCat("\"", config.backend, "\": expected host:port"));
  }
  if (config.port_last < config.port_first) {
    root.Refuse("port_last",
                absl::StrCat(config.port_last, ": expected at least ",
                             config.port_first, ", which is port_first"));
  }
  if (config.feature.find_first_of(kFeatureForbids) != std::string::npos) {
    root.Refuse("feature", absl::StrCat("\"", config.feature,
                                        "\": expected one name of a feature"));
  }
}

}  // namespace

absl::StatusOr<NodeConfig> LoadNodeConfig(const std::string& path) {
  ASSIGN_OR_RETURN(ConfigFile file, ConfigFile::Load(path));
  ConfigTable root = file.root();
  NodeConfig config;
  root.Read("backend", &config.backend, Required());
  root.Read("backend_name", &config.backend_name, Required());
  root.Read("ca", &config.ca, Required());
  root.Read("runtime_directory", &config.runtime_directory);
  root.Read("port_first", &config.port_first, Range(1024, 65535));
  root.Read("port_last", &config.port_last, Range(1024, 65535));
  root.Read("feature", &config.feature);
  if (config.feature.empty()) root.Refuse("feature", "\"\": expected a name");
  CheckPaths(root, config);
  CheckRest(root, config);
  RETURN_IF_ERROR(file.Finish());
  return config;
}

}  // namespace carme
