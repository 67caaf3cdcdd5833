// Does a job fit to the one that its nodes are to join? Pure functions.
#ifndef CARME_BACKEND_POLICY_CHECKS_ADDITIONAL_NODES_H_
#define CARME_BACKEND_POLICY_CHECKS_ADDITIONAL_NODES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "backend/policy/spec/job_spec.h"
#include "backend/policy/spec/violation.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

// The job that a spec names in `companion_of`, as it is now.
struct JoinedJob {
  JobSpec spec{};
  bool ready = false;
  std::optional<absl::Duration> left{};  // absent: it has no end
  std::vector<std::string> nodes{};      // its own and its companions'
  int64_t gpus = 0;                      // likewise
  bool another_waits = false;  // for nodes, or to be taken into the job
};

// Fills in what the spec takes from that job, and gives every reason why not.
// `joined` is absent when the user has no such job.
std::vector<Violation> JoinOther(const std::optional<JoinedJob>& joined,
                                 JobSpec* spec);

// Whether the walltime, if it is known, fits into what the other job has left.
std::vector<Violation> CheckLeft(const JoinedJob& joined, const JobSpec& spec);

// Takes the nodes of the job out of `nodes`: no node is twice among those that
// a program finds. Their names.
std::vector<std::string> TakeOutJoined(const JoinedJob& joined,
                                       std::vector<const SlurmNode*>* nodes);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_CHECKS_ADDITIONAL_NODES_H_
