// The host that `carmectl doctor` inspects: its roles, the settings of Carme's
// programs on it, and the ways to ask its other services.
#ifndef CARME_BACKEND_CARMECTL_DOCTOR_HOST_HOST_H_
#define CARME_BACKEND_CARMECTL_DOCTOR_HOST_HOST_H_

#include <sys/types.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/carmectl/doctor/host/name_resolver.h"
#include "backend/carmectl/doctor/host/settings.h"
#include "backend/carmectl/doctor/host/tool_runner.h"

namespace carme::carmectl {

// A role is a program of Carme that is configured on the host.
enum class HostRole {
  kProxy,
  kFrontend,
  kBackend,
  kImpersonator,
  kStorageReader,
  kMetrics,
  kNode,         // agent.toml
  kEnvironment,  // environment.toml: `srun --environment`
};

inline constexpr HostRole kHostRoles[] = {
    HostRole::kProxy,        HostRole::kFrontend,      HostRole::kBackend,
    HostRole::kImpersonator, HostRole::kStorageReader, HostRole::kMetrics,
    HostRole::kNode,         HostRole::kEnvironment};

// "proxy", "frontend", "backend", "impersonator", "storage-reader", "metrics",
// "node", "environment".
std::string_view HostRoleName(HostRole role);
std::optional<HostRole> ParseHostRole(std::string_view name);
// The program that reads the role's file; empty: none on this host does.
std::string_view ProgramOf(HostRole role);

// Below these a file system counts as full, or as nearly full.
struct FreeSpaceLimits {
  int64_t full_bytes = int64_t{64} << 20;
  int64_t low_bytes = int64_t{1} << 30;
  int64_t low_inodes = 10000;
};

struct HostOptions {
  std::string config_directory = "/etc/carme";
  std::set<HostRole> roles{};  // empty: by the files of the directory
  // The accounts that the programs run as, where they are not the usual ones.
  std::map<HostRole, std::string> accounts{};
  std::vector<std::string> tool_directories{};
  // Users whose ids are compared; empty: some members of the allowed group.
  std::vector<std::string> users{};
  absl::Time now;
  // Whether the kernel's clock is synchronized; nullopt: unknown.
  std::optional<bool> clock_synchronized{};
  FreeSpaceLimits free_space{};
  // A hook of Slurm counts as slow beyond this.
  absl::Duration max_hook_time = absl::Seconds(10);
  // For tests: a tree that replaces /dev, /proc, /run and /sys, and the user
  // that replaces root as the owner of files.
  std::string system_root{};
  uid_t root_uid = 0;
};

// Not thread-safe.
class Host {
 public:
  // Reads the configuration files. A file that cannot be read or is not TOML
  // leaves its role without settings. `resolver` must outlive the object.
  Host(HostOptions options, const NameResolver* resolver);

  const HostOptions& options() const { return options_; }
  const ToolRunner& tools() const { return tools_; }
  const NameResolver& resolver() const { return resolver_; }
  bool Has(HostRole role) const { return roles_.count(role) > 0; }
  const std::set<HostRole>& roles() const { return roles_; }

  // The role's configuration file.
  std::string ConfigPath(HostRole role) const;
  // The account of the role's program. NOT_FOUND: no such account.
  absl::StatusOr<uid_t> AccountOf(HostRole role) const;
  // "/proc/mounts" in the tree of this host.
  std::string SystemPath(std::string_view path) const;

  // nullopt: the host does not have the role, or its file cannot be read.
  const std::optional<ProxySettings>& proxy() const { return proxy_; }
  const std::optional<FrontendSettings>& frontend() const { return frontend_; }
  const std::optional<BackendSettings>& backend() const { return backend_; }
  const std::optional<RootProgramSettings>& impersonator() const {
    return impersonator_;
  }
  const std::optional<RootProgramSettings>& storage_reader() const {
    return storage_reader_;
  }
  const std::optional<MetricsSettings>& metrics() const { return metrics_; }
  const std::optional<NodeSettings>& node() const { return node_; }

  // Runs scontrol with the site's slurm.conf, where backend.toml names one. Not
  // run again after it did not end in time.
  absl::StatusOr<ToolResult> RunScontrol(
      std::vector<std::string> arguments) const;

 private:
  void FindRoles();
  void LoadSettings();

  const HostOptions options_;
  const ToolRunner tools_;
  const NameResolver& resolver_;
  std::set<HostRole> roles_;
  std::optional<ProxySettings> proxy_;
  std::optional<FrontendSettings> frontend_;
  std::optional<BackendSettings> backend_;
  std::optional<RootProgramSettings> impersonator_;
  std::optional<RootProgramSettings> storage_reader_;
  std::optional<MetricsSettings> metrics_;
  std::optional<NodeSettings> node_;
  mutable absl::Status scontrol_timeout_;
};

// The first line of a text, for messages.
std::string FirstLine(std::string_view text);

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_DOCTOR_HOST_HOST_H_
