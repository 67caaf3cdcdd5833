// The job that `carmectl doctor` starts as the calling user, and what it found
// on its node.
#ifndef CARME_BACKEND_CARMECTL_DOCTOR_CLUSTER_TEST_JOB_H_
#define CARME_BACKEND_CARMECTL_DOCTOR_CLUSTER_TEST_JOB_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/carmectl/doctor/host/host.h"

namespace carme::carmectl {

struct TestJobReport {
  bool in_control_group = false;
  std::vector<std::string> devices;  // opened, though not requested
  std::string user;                  // who calls; empty: the name is unknown
  // The user's uid on the node; empty: it does not know the user. nullopt: not
  // asked.
  std::optional<std::string> node_uid;
  // How far the node's clock is ahead of this host's; zero: it shows a time at
  // which the job ran.
  absl::Duration clock_ahead;
  // The errors of decoding this host's credential on the node, and of encoding
  // or decoding the node's. Empty: none, or this host has no MUNGE.
  std::string node_refuses;
  std::string host_refuses;
  // From the job's start to its first command, and from its last command until
  // the node is free: at most HostOptions::max_hook_time and what a poll takes.
  // Zero: unknown.
  absl::Duration prolog;
  absl::Duration epilog;
};

// Blocks for at most about two minutes. UNAVAILABLE: srun failed; errors of
// ToolRunner::Run. Other users cannot use the credentials.
absl::StatusOr<TestJobReport> RunTestJob(const Host& host,
                                         const std::string& node);

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_DOCTOR_CLUSTER_TEST_JOB_H_
