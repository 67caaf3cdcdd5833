// Releases of Slurm, and which of them work with one another. Pure.
#ifndef CARME_BACKEND_SLURM_LIBSLURM_SLURM_RELEASE_H_
#define CARME_BACKEND_SLURM_LIBSLURM_SLURM_RELEASE_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace carme {

// 24.11 is {24, 11}. Its updates, such as 24.11.5, work like it.
struct SlurmRelease {
  int year = 0;
  int month = 0;
  friend auto operator<=>(const SlurmRelease&, const SlurmRelease&) = default;
};

// From "24.11", "24.11.5" or "24.11.5-1". Empty: not a release.
std::optional<SlurmRelease> ParseSlurmRelease(std::string_view version);
std::string ToText(const SlurmRelease& release);  // "24.11"

// The number of the release in messages of Slurm, which is counted up with each
// one: 38 is 22.05. Empty: before 20.11, or no release.
std::optional<int> ProtocolOf(const SlurmRelease& release);
std::optional<SlurmRelease> ReleaseOfProtocol(int protocol);

// Whether a libslurm works with a slurmctld: it must not be newer, and at most
// three releases older; two if slurmctld is older than 24.11.
bool WorksWith(const SlurmRelease& libslurm, const SlurmRelease& slurmctld);

// One line for an administrator: both versions and the remedy. `slurmctld`
// without a value: it closed the connection and did not report its version, as
// those before 24.11 do. REQUIRES: they do not work with one another.
std::string MismatchText(std::string_view libslurm_version,
                         const std::optional<SlurmRelease>& slurmctld);

}  // namespace carme

#endif  // CARME_BACKEND_SLURM_LIBSLURM_SLURM_RELEASE_H_
