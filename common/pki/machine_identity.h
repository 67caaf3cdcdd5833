// The program that a certificate belongs to: the only URI among its alternative
// names, carme://<role>/<name>.
//
// Roles are a closed list in a fixed place of the URI, so a user name or a host
// name is never read as a role.
#ifndef CARME_COMMON_PKI_MACHINE_IDENTITY_H_
#define CARME_COMMON_PKI_MACHINE_IDENTITY_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace carme {

// kCluster: the backend of a further cluster, as a client of the identity
// backend.
enum class MachineRole {
  kBackend,
  kFrontend,
  kProxy,
  kJob,
  kCluster,
  kMetrics
};

// "backend", "frontend", "proxy", "job", "cluster", "metrics".
std::string_view RoleName(MachineRole role);
std::optional<MachineRole> ParseMachineRole(std::string_view text);

// 1 to 63 of [a-z0-9.-], the first and the last [a-z0-9].
bool IsMachineName(std::string_view text);

struct MachineIdentity {
  MachineRole role = MachineRole::kJob;
  std::string name;
  friend bool operator==(const MachineIdentity&,
                         const MachineIdentity&) = default;
};

// REQUIRES: IsMachineName(identity.name).
std::string ToUri(const MachineIdentity& identity);

// The identity in a certificate with these URIs. PERMISSION_DENIED: no URI,
// more than one, or not exactly of the form above.
absl::StatusOr<MachineIdentity> TheIdentity(
    const std::vector<std::string>& uris);

}  // namespace carme

#endif  // CARME_COMMON_PKI_MACHINE_IDENTITY_H_
