// Asks the site's directory through carme-directory-probe.
#ifndef CARME_BACKEND_CARMECTL_DOCTOR_CLUSTER_DIRECTORY_PROBE_H_
#define CARME_BACKEND_CARMECTL_DOCTOR_CLUSTER_DIRECTORY_PROBE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/carmectl/doctor/host/host.h"

namespace carme::carmectl {

// A line of the program: three fields with tabs between.
struct DirectoryProbeLine {
  std::string subject;  // "server", "group", "user"
  std::string object;   // an address, or a name
  std::string result;   // "ok" or an error; of a user: the uid or an error
};

// Connects to each server of backend.toml, looks for the configured groups and
// for `users`. NOT_FOUND: the program is not installed; FAILED_PRECONDITION: a
// file of the configuration cannot be used. REQUIRES: the host has a backend.
absl::StatusOr<std::vector<DirectoryProbeLine>> ProbeDirectory(
    const Host& host, const std::vector<std::string>& users);

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_DOCTOR_CLUSTER_DIRECTORY_PROBE_H_
