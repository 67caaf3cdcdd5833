#include "slurm-hooks/node_config.h"

#include <cstdint>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/config/config.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr size_t kMaxDirectory = 64;
constexpr std::string_view kFeatureForbids = "&|[](),*! \t";

bool IsHostAndPort(const std::string& text) {
  const size_t colon = text.rfind(':');
  uint32_t port = 0;
  return colon != std::string::npos && colon > 0 &&
         absl::SimpleAtoi(text.substr(colon + 1), &port) && port > 0 &&
         port <= 65535;
}

void CheckDirectory(ConfigTable root, const char* key,
                    const std::string& path) {
  if (path[0] == '/' && path.size() <= kMaxDirectory) return;
  root.Refuse(
      key, absl::StrCat("\"", path, "\": expected an absolute path of at most ",
                        kMaxDirectory, " characters"));
}

void CheckAbsolute(ConfigTable root, const char* key, const std::string& path) {
  if (path.empty() || path[0] == '/') return;
  root.Refuse(key, absl::StrCat("\"", path, "\": expected an absolute path"));
}

void CheckPaths(ConfigTable root, const NodeConfig& config) {
  CheckDirectory(root, "runtime_directory", config.runtime_directory);
  if (!config.scratch_directory.empty()) {
    CheckDirectory(root, "scratch_directory", config.scratch_directory);
  }
  CheckDirectory(root, "report_directory", config.report_directory);
  CheckAbsolute(root, "ca", config.ca);
  CheckAbsolute(root, "apptainer", config.apptainer);
  CheckAbsolute(root, "srun", config.srun);
  for (const std::string& pattern : config.gpu_devices) {
    if (pattern.starts_with("/dev/")) continue;
    root.Refuse("gpu_devices",
                absl::StrCat("\"", pattern, "\": expected a path in /dev"));
  }
}

void ReadJobStorage(ConfigTable table, JobStorage* storage) {
  table.Read("start", &storage->start);
  table.Read("stop", &storage->stop);
  table.Read("directory", &storage->directory);
  table.Read("min_nodes", &storage->min_nodes, Range(1, 1 << 20));
  table.Read("time_limit_s", &storage->time_limit, Range(1, 600));
  const bool none = storage->start.empty();
  if (none != storage->stop.empty() || none != storage->directory.empty()) {
    table.Refuse("start", "start, stop and directory belong together");
  }
  for (const auto* command : {&storage->start, &storage->stop}) {
    if (command->empty() || (*command)[0].starts_with("/")) continue;
    table.Refuse(command == &storage->start ? "start" : "stop",
                 "expected the absolute path of a program first");
  }
  CheckAbsolute(table, "directory", storage->directory);
}

void ReadUse(ConfigTable table, UseConfig* use) {
  table.Read("gpu_command", &use->gpu_command);
  table.Read("min_cpu_percent", &use->min_cpu_percent, Range(1, 100));
  table.Read("interval_s", &use->interval, Range(15, 600));
  if (!use->gpu_command.empty()) {
    CheckAbsolute(table, "gpu_command", use->gpu_command[0]);
  }
}

// A host engine of another node has none of this node's GPUs.
void ReadGpu(ConfigTable table, GpuConfig* gpu) {
  constexpr size_t kMaxSocketPath = 107;
  constexpr const char* kKey = "dcgm_host_engine";
  table.Read(kKey, &gpu->dcgm_host_engine);
  const std::string& address = gpu->dcgm_host_engine;
  const bool is_path =
      address.starts_with("/") && address.size() <= kMaxSocketPath;
  const bool is_local = address.starts_with("127.") && IsHostAndPort(address);
  if (address.empty() || is_path || is_local) return;
  table.Refuse(kKey, absl::StrCat("\"", address,
                                  "\": expected 127.0.0.1:port or the absolute "
                                  "path of a socket"));
}

void ReadVet(ConfigTable table, VetInProlog* vet) {
  table.Read("in_prolog", &vet->in_prolog);
  table.Read("config", &vet->config);
  table.Read("time_limit_s", &vet->time_limit, Range(5, 60));
  CheckAbsolute(table, "config", vet->config);
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

std::vector<std::string> JobDirectories(const NodeConfig& config) {
  if (config.scratch_directory.empty()) return {config.runtime_directory};
  return {config.runtime_directory, config.scratch_directory};
}

std::string JobStorageDirectory(const JobStorage& storage, SlurmJobId job) {
  return absl::StrReplaceAll(storage.directory,
                             {{"{job}", absl::StrCat(job.value())}});
}

absl::StatusOr<NodeConfig> LoadNodeConfig(const std::string& path) {
  ASSIGN_OR_RETURN(ConfigFile file, ConfigFile::Load(path));
  ConfigTable root = file.root();
  NodeConfig config;
  root.Read("backend", &config.backend, Required());
  root.Read("backend_name", &config.backend_name, Required());
  root.Read("ca", &config.ca, Required());
  root.Read("runtime_directory", &config.runtime_directory);
  root.Read("scratch_directory", &config.scratch_directory);
  root.Read("report_directory", &config.report_directory);
  root.Read("scratch_limit_gib", &config.scratch_limit_gib, Range(0, 1 << 20));
  root.Read("apptainer", &config.apptainer);
  root.Read("srun", &config.srun);
  root.Read("gpu_devices", &config.gpu_devices);
  root.Read("port_first", &config.port_first, Range(1024, 65535));
  root.Read("port_last", &config.port_last, Range(1024, 65535));
  root.Read("feature", &config.feature);
  ReadJobStorage(root.Table("job_storage"), &config.job_storage);
  config.job_storage.record_directory = config.runtime_directory;
  ReadUse(root.Table("use"), &config.use);
  ReadGpu(root.Table("gpu"), &config.gpu);
  ReadVet(root.Table("vet"), &config.vet);
  if (config.feature.empty()) root.Refuse("feature", "\"\": expected a name");
  CheckPaths(root, config);
  CheckRest(root, config);
  RETURN_IF_ERROR(file.Finish());
  return config;
}

}  // namespace carme
