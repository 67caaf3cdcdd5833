#include "backend/carmectl/doctor/host/host.h"

#include <pwd.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/carmectl/doctor/host/messages.h"
#include "common/status.h"

namespace carme::carmectl {
namespace {

struct RoleRow {
  HostRole role;
  std::string_view name;
  std::string_view file;
  std::string_view program;
  std::string_view account;
};

constexpr RoleRow kRoleRows[] = {
    {HostRole::kProxy, "proxy", "proxy.toml", "carme-proxy", "carme-proxy"},
    {HostRole::kFrontend, "frontend", "frontend.toml", "carme-frontend",
     "carme-frontend"},
    {HostRole::kBackend, "backend", "backend.toml", "carme-backend", "carme"},
    {HostRole::kImpersonator, "impersonator", "impersonator.toml",
     "carme-impersonator", "root"},
    {HostRole::kStorageReader, "storage-reader", "storage-reader.toml",
     "carme-storage-reader", "root"},
    {HostRole::kMetrics, "metrics", "metrics.toml", "carme-metrics",
     "carme-metrics"},
    {HostRole::kNode, "node", "agent.toml", "carme-agent", "root"},
    {HostRole::kEnvironment, "environment", "environment.toml", "", "root"},
};

const RoleRow& RowOf(HostRole role) {
  return kRoleRows[static_cast<size_t>(role)];
}

template <typename T>
std::optional<T> Loaded(absl::StatusOr<T> settings) {
  if (!settings.ok()) return std::nullopt;
  return *std::move(settings);
}

}  // namespace

std::string_view HostRoleName(HostRole role) { return RowOf(role).name; }

std::optional<HostRole> ParseHostRole(std::string_view name) {
  for (const RoleRow& row : kRoleRows) {
    if (row.name == name) return row.role;
  }
  return std::nullopt;
}

std::string_view ProgramOf(HostRole role) { return RowOf(role).program; }

Host::Host(HostOptions options, const NameResolver* resolver)
    : options_(std::move(options)),
      tools_(options_.tool_directories),
      resolver_(*resolver) {
  FindRoles();
  LoadSettings();
}

void Host::FindRoles() {
  roles_ = options_.roles;
  if (!roles_.empty()) return;
  for (const RoleRow& row : kRoleRows) {
    if (access(ConfigPath(row.role).c_str(), F_OK) == 0) {
      roles_.insert(row.role);
    }
  }
}

void Host::LoadSettings() {
  if (Has(HostRole::kProxy)) {
    proxy_ = Loaded(LoadProxySettings(ConfigPath(HostRole::kProxy)));
  }
  if (Has(HostRole::kFrontend)) {
    frontend_ = Loaded(LoadFrontendSettings(ConfigPath(HostRole::kFrontend)));
  }
  if (Has(HostRole::kBackend)) {
    backend_ = Loaded(LoadBackendSettings(ConfigPath(HostRole::kBackend)));
  }
  if (Has(HostRole::kImpersonator)) {
    impersonator_ = Loaded(LoadRootProgramSettings(
        ConfigPath(HostRole::kImpersonator), "/run/carme-impersonator/socket"));
  }
  if (Has(HostRole::kStorageReader)) {
    storage_reader_ =
        Loaded(LoadRootProgramSettings(ConfigPath(HostRole::kStorageReader),
                                       "/run/carme-storage-reader/socket"));
  }
  if (Has(HostRole::kMetrics)) {
    metrics_ = Loaded(LoadMetricsSettings(ConfigPath(HostRole::kMetrics)));
  }
  if (Has(HostRole::kNode)) {
    node_ = Loaded(LoadNodeSettings(ConfigPath(HostRole::kNode)));
  }
}

std::string Host::ConfigPath(HostRole role) const {
  return absl::StrCat(options_.config_directory, "/",
                      std::string(RowOf(role).file));
}

absl::StatusOr<uid_t> Host::AccountOf(HostRole role) const {
  const auto given = options_.accounts.find(role);
  const std::string name = given != options_.accounts.end()
                               ? given->second
                               : std::string(RowOf(role).account);
  if (name == "root") return options_.root_uid;
  errno = 0;
  const passwd* const entry = getpwnam(name.c_str());
  if (entry == nullptr) {
    return MakePlainError(doctor_host_messages::kAccountMissing,
                          {{"name", name}});
  }
  return entry->pw_uid;
}

std::string Host::SystemPath(std::string_view path) const {
  return absl::StrCat(options_.system_root, std::string(path));
}

absl::StatusOr<ToolResult> Host::RunScontrol(
    std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), "scontrol");
  ToolCall call{.arguments = std::move(arguments)};
  if (backend_) {
    call.environment.push_back(
        absl::StrCat("SLURM_CONF=", backend_->slurm_conf));
  }
  RETURN_IF_ERROR(scontrol_timeout_);
  absl::StatusOr<ToolResult> result = tools_.Run(call);
  if (absl::IsDeadlineExceeded(result.status())) {
    scontrol_timeout_ = result.status();
  }
  if (!result.ok() || result->ok()) return result;
  return absl::UnavailableError(
      FirstLine(result->error.empty() ? result->output : result->error));
}

std::string FirstLine(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

}  // namespace carme::carmectl
