// Finds the release of a slurmctld that libslurm does not work with.
#ifndef CARME_BACKEND_SLURM_LIBSLURM_SLURMCTLD_RELEASE_H_
#define CARME_BACKEND_SLURM_LIBSLURM_SLURMCTLD_RELEASE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "backend/slurm/libslurm/slurm_release.h"

namespace carme {

// "22.05.8": the library that this program was built with.
std::string BuiltWithLibslurm();
// "22.05": the release of the loaded library, which does not report its update.
std::string LoadedLibslurm();
// For --version: "libslurm 22.05 (built with 22.05.8)".
std::string LibslurmVersionText();

struct SlurmctldProbe {
  bool connected = false;
  std::optional<SlurmRelease> release{};  // empty: not reported
};
// The release of a slurmctld by its response to a message of no release.
// slurmctld of 24.11 or newer refuses it in its own format, and logs an error;
// earlier ones close the connection. Blocks for up to two seconds.
SlurmctldProbe ProbeSlurmctld(const std::string& host, uint16_t port);
// Of the beginning of a message: length and version. Pure.
std::optional<SlurmRelease> ReleaseOfMessage(std::string_view bytes);

// Whether `error` of a call can have the reason that FindReleaseMismatch()
// finds.
bool MayBeReleaseMismatch(int error);

// Why a call failed with `error`, if the reason is that slurmctld and libslurm
// are of releases that do not work with one another: MismatchText(). Blocks as
// ProbeSlurmctld() for each controller of slurm.conf, so call it rarely.
// REQUIRES: InitSlurm() or SlurmQuery.
std::optional<std::string> FindReleaseMismatch(int error);

}  // namespace carme

#endif  // CARME_BACKEND_SLURM_LIBSLURM_SLURMCTLD_RELEASE_H_
