// Whether a node has the GPU driver that an image needs.
#ifndef CARME_BACKEND_POLICY_CLUSTER_DRIVER_MATCH_H_
#define CARME_BACKEND_POLICY_CLUSTER_DRIVER_MATCH_H_

#include <string>
#include <string_view>
#include <vector>

#include "backend/policy/spec/job_spec.h"
#include "backend/policy/spec/limits.h"
#include "backend/policy/spec/violation.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

// Numbers separated by dots, at most 32 characters: "550.54.14".
bool IsVersion(std::string_view text);

// Compares number by number; "550" is older than "550.1". An invalid version is
// older than all others. REQUIRES: IsVersion(needed).
bool IsAtLeast(std::string_view found, std::string_view needed);

// The nodes on which a job of this spec can use its GPUs in this image.
struct DriverMatch {
  std::vector<const SlurmNode*> nodes;  // all if the image needs nothing
  std::vector<std::string> excluded;    // names of the other nodes, sorted
  // If no node is left: what was found and what the image expects.
  std::vector<Violation> violations;
};
DriverMatch MatchDriver(const JobSpec& spec, const Image& image,
                        const std::vector<const SlurmNode*>& nodes);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_CLUSTER_DRIVER_MATCH_H_
