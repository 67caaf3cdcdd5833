#include "common/pki/machine_identity.h"

#include "absl/strings/str_cat.h"
#include "common/name_rules.h"

namespace carme {
namespace {

constexpr struct {
  MachineRole role;
  std::string_view name;
} kRoles[] = {
    {MachineRole::kBackend, "backend"}, {MachineRole::kFrontend, "frontend"},
    {MachineRole::kProxy, "proxy"},     {MachineRole::kJob, "job"},
    {MachineRole::kCluster, "cluster"}, {MachineRole::kMetrics, "metrics"}};

std::optional<MachineIdentity> Parse(std::string_view uri) {
  for (const auto& [role, role_name] : kRoles) {
    const std::string prefix =
        absl::StrCat("carme://", std::string(role_name), "/");
    if (uri.substr(0, prefix.size()) != prefix) continue;
    const std::string_view name = uri.substr(prefix.size());
    if (IsMachineName(name)) return MachineIdentity{role, std::string(name)};
  }
  return std::nullopt;
}

}  // namespace

std::string_view RoleName(MachineRole role) {
  return kRoles[static_cast<size_t>(role)].name;
}

std::optional<MachineRole> ParseMachineRole(std::string_view text) {
  for (const auto& known : kRoles) {
    if (known.name == text) return known.role;
  }
  return std::nullopt;
}

bool IsMachineName(std::string_view text) {
  return kMachineNameRule.Allows(text);
}

std::string ToUri(const MachineIdentity& identity) {
  return absl::StrCat("carme://", std::string(RoleName(identity.role)), "/",
                      identity.name);
}

absl::StatusOr<MachineIdentity> TheIdentity(
    const std::vector<std::string>& uris) {
  if (uris.size() != 1) {
    return absl::PermissionDeniedError(absl::StrCat(
        "certificate has ", uris.size(), " URIs: expected exactly one"));
  }
  std::optional<MachineIdentity> identity = Parse(uris.front());
  if (!identity) {
    return absl::PermissionDeniedError(
        absl::StrCat("certificate is of \"", uris.front(),
                     "\": expected carme://<role>/<name>"));
  }
  return *std::move(identity);
}

}  // namespace carme
