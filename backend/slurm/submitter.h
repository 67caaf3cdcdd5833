// Acting on Slurm as a user. The implementation speaks to the impersonator;
// the backend itself never changes its user id.
#ifndef CARME_BACKEND_SLURM_SUBMITTER_H_
#define CARME_BACKEND_SLURM_SUBMITTER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/ids.h"

namespace carme::backend {

// Whom to act as; both are checked against each other on the other side.
struct PosixUser {
  std::string name;
  Uid uid;
};

struct Submission {
  JobId job;
  std::string name;
  std::string partition;
  int nodes = 1;
  int gpus_per_node = 0;
  std::string gpu_type;  // empty: any
  int cpus_per_node = 1;
  int64_t memory_per_node_mib = 0;
  absl::Duration walltime;                    // whole minutes
  std::vector<std::string> excluded_nodes{};  // where it must not run
  std::string account{};  // Slurm's; empty: the user's default
  std::string qos{};      // likewise
  std::string reservation{};
  std::optional<absl::Time> begin{};  // not before
  std::string array{};                // Slurm's form of indices
  // The numbers of the kinds are carme.v1.DependencyKind's.
  std::vector<std::pair<SlurmJobId, int>> dependencies{};
};

// What a job's owner may change of it; at least one field.
struct JobChange {
  enum class Hold { kAsItIs, kHold, kRelease };
  std::optional<absl::Duration> walltime = {};  // whole minutes
  std::optional<std::string> name = {};
  Hold hold = Hold::kAsItIs;
};

// Of what a job, or one of its apps, has written.
struct LogPart {
  JobId job;
  std::optional<SlurmJobId> slurm_job = {};  // its owner is asked for
  std::string app = {};                      // empty: the job's own log
  int64_t offset = 0;                        // negative: before the end
  int max_bytes = 64 * 1024;                 // 1 to that
  std::optional<uint32_t> task = {};         // of an array
};
struct LogText {
  std::string text;  // any bytes; none at the end
  int64_t offset = 0;
  int64_t size = 0;  // of the whole log, which may grow
};

// When and where Slurm would start a job.
struct SlurmStartEstimate {
  absl::Time starts_at;
  std::vector<std::string> nodes;  // at most 100 of them
};

// A submission of which the other side knows, and which it has not done.
// Dropped without SubmitAsUser() it is withdrawn: there will never be a job.
class PreparedSubmission {
 public:
  virtual ~PreparedSubmission() = default;
  // Once. Blocks for at most the act's time-out.
  // PERMISSION_DENIED: the impersonator's policy; FAILED_PRECONDITION: Slurm
  // refused, with its sentence; RESOURCE_EXHAUSTED: this user acts too often,
  // nothing was submitted; UNAVAILABLE: nothing was submitted, try again;
  // INTERNAL: nothing was submitted, our fault; DEADLINE_EXCEEDED and ABORTED:
  // not known whether it was.
  virtual absl::StatusOr<SlurmJobId> SubmitAsUser() = 0;
};

// Thread-safe.
class Submitter {
 public:
  virtual ~Submitter() = default;
  // Lets the other side get ready: it checks, looks up and becomes the user
  // while the caller makes its record durable. Does not block, and is never
  // null: what goes wrong is what SubmitAsUser() says.
  virtual std::unique_ptr<PreparedSubmission> Prepare(
      const PosixUser& user, const Submission& submission,
      const std::string& request_id) = 0;
  // These block for at most the act's time-out.
  // OK also when the job is over already. Other codes as above.
  virtual absl::Status CancelAsUser(const PosixUser& user, SlurmJobId slurm_job,
                                    const JobId& job,
                                    const std::string& request_id) = 0;
  // FAILED_PRECONDITION: Slurm refused, or the job is over. Other codes as
  // above.
  virtual absl::Status UpdateAsUser(const PosixUser& user, SlurmJobId slurm_job,
                                    const JobId& job, const JobChange& change,
                                    const std::string& request_id) = 0;
  // Gives a running job of the user's this time limit, more than it has: done
  // as Slurm's own user, within the impersonator's limits. FAILED_PRECONDITION:
  // it does not run, or Slurm refused. Other codes as above. Asked again with
  // the same walltime it is OK.
  virtual absl::Status ExtendForUser(const PosixUser& user,
                                     SlurmJobId slurm_job, const JobId& job,
                                     absl::Duration walltime,
                                     const std::string& request_id) = 0;
  // When a job would start that is submitted now; nothing is. Slurm takes the
  // jobs that run for as long as they may, and those that wait for a delay.
  // FAILED_PRECONDITION: Slurm would refuse it, or knows no time. Other codes
  // as above.
  virtual absl::StatusOr<SlurmStartEstimate> EstimateStartAsUser(
      const PosixUser& user, const Submission& submission,
      const std::string& request_id) = 0;
  // NOT_FOUND: nothing was written, or not yet. PERMISSION_DENIED: also when
  // something that is no log lies in its place. Other codes as above.
  virtual absl::StatusOr<LogText> ReadLogAsUser(
      const PosixUser& user, const LogPart& part,
      const std::string& request_id) = 0;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_SUBMITTER_H_
