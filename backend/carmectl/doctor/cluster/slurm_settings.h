// What slurmctld reports about itself.
#ifndef CARME_BACKEND_CARMECTL_DOCTOR_CLUSTER_SLURM_SETTINGS_H_
#define CARME_BACKEND_CARMECTL_DOCTOR_CLUSTER_SLURM_SETTINGS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/carmectl/doctor/host/host.h"

namespace carme::carmectl {

// The lines of `scontrol show config`: keys of slurm.conf and cgroup.conf. An
// unset key is absent or has an empty value. UNAVAILABLE: slurmctld did not
// respond; NOT_FOUND: scontrol is not installed.
absl::StatusOr<std::map<std::string, std::string>> ReadSlurmSettings(
    const Host& host);

// The names of the nodes with the feature. Errors as above.
absl::StatusOr<std::vector<std::string>> NodesWithFeature(
    const Host& host, const std::string& feature);

// The feature of Carme's nodes, of the configuration files of this host.
std::string CarmeFeature(const Host& host);

// Whether a comma-separated list has `item`, ignoring case.
bool ListHas(const std::string& list, const std::string& item);

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_DOCTOR_CLUSTER_SLURM_SETTINGS_H_
