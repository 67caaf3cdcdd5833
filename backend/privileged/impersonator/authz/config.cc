#include "backend/privileged/impersonator/authz/config.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "backend/privileged/privsep/root_files.h"
#include "common/config/config.h"
#include "common/file.h"
#include "common/status.h"

namespace carme::impersonator {
namespace {

// These paths are written into a shell script unquoted.
bool IsPlainPath(std::string_view path) {
  return path.starts_with('/') &&
         std::all_of(path.begin(), path.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  (c >= '0' && c <= '9') || c == '/' || c == '.' || c == '_' ||
                  c == '-' || c == '+';
         });
}

void ReadPath(ConfigTable* root, std::string_view key, std::string* value,
              ConfigRule rule = {}) {
  root->Read(key, value, rule);
  if (!value->empty() && !IsPlainPath(*value)) {
    root->Refuse(key, absl::StrCat("found \"", *value,
                                   "\": expected an absolute path of letters, "
                                   "digits and . _ - + /"));
  }
}

bool IsFeature(std::string_view text) {
  return !text.empty() && text.size() <= 64 &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  (c >= '0' && c <= '9') || c == '_';
         });
}

ReservationConfig ReadReservationConfig(ConfigTable root) {
  ReservationConfig config;
  ConfigTable table = root.Table("reservations");
  table.Read("partitions", &config.partitions);
  table.Read("group", &config.group);
  table.Read("max_nodes", &config.max_nodes, Range(1, 10000));
  table.Read("max_minutes", &config.max_minutes, Range(1, 31 * 24 * 60));
  table.Read("max_days_ahead", &config.max_days_ahead, Range(1, 366));
  table.Read("max_per_user", &config.max_per_user, Range(1, 1000));
  return config;
}

NodesConfig ReadNodesConfig(ConfigTable root) {
  NodesConfig config;
  ConfigTable table = root.Table("nodes");
  table.Read("group", &config.group);
  table.Read("max_drained_percent", &config.max_drained_percent, Range(1, 100));
  return config;
}

ExtensionConfig ReadExtensionConfig(ConfigTable root) {
  ExtensionConfig config;
  root.Table("extensions")
      .Read("max_walltime_min", &config.max_walltime, Range(0, 366 * 24 * 60));
  return config;
}

}  // namespace

absl::StatusOr<ImpersonatorConfig> ParseImpersonatorConfig(
    const std::string& text, const std::string& path) {
  ASSIGN_OR_RETURN(ConfigFile file, ConfigFile::Parse(text, path));
  ConfigTable root = file.root();
  ImpersonatorConfig config;
  ReadPath(&root, "socket", &config.socket);
  root.Read("peer_user", &config.peer_user, Required());
  ReadPath(&root, "agent", &config.agent, Required());
  ReadPath(&root, "agent_config", &config.agent_config);
  ReadPath(&root, "slurm_conf", &config.slurm_conf);
  root.Read("feature", &config.feature);
  if (!IsFeature(config.feature)) {
    root.Refuse("feature", "expected 1 to 64 letters, digits and _");
  }
  config.policy = ReadPolicy(&root);
  root.Read("operation_timeout_s", &config.operation_timeout, Range(2, 300));
  root.Read("max_operations", &config.max_operations, Range(1, 256));
  root.Read("submissions_per_minute_per_user", &config.rate_limits.per_user,
            Range(1, 100000));
  root.Read("operations_per_minute", &config.rate_limits.total,
            Range(1, 100000));
  root.Read("max_array_tasks", &config.max_array_tasks, Range(0, 100000));
  root.Read("array_tasks_per_minute_per_user",
            &config.rate_limits.tasks_per_user, Range(1, 1000000));
  if (config.rate_limits.tasks_per_user < config.max_array_tasks) {
    root.Refuse("array_tasks_per_minute_per_user",
                absl::StrCat("found ", config.rate_limits.tasks_per_user,
                             ": expected max_array_tasks or more, ",
                             config.max_array_tasks));
  }
  config.reservations = ReadReservationConfig(root);
  root.Table("maintenance").Read("group", &config.maintenance.group);
  config.nodes = ReadNodesConfig(root);
  config.extensions = ReadExtensionConfig(root);
  RETURN_IF_ERROR(file.Finish());
  return config;
}

absl::StatusOr<ImpersonatorConfig> LoadImpersonatorConfig(
    const std::string& path) {
  RETURN_IF_ERROR(CheckOnlyRootWrites(path));
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return ParseImpersonatorConfig(text, path);
}

}  // namespace carme::impersonator
