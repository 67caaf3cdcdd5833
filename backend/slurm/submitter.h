// Runs Slurm operations as a user. The implementation uses the impersonator;
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

// The user to act as. The impersonator verifies that name and uid match.
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
  std::vector<std::string> excluded_nodes{};  // nodes it must not run on
  std::string account{};  // Slurm account; empty: the default
  std::string qos{};      // empty: the default
  std::string reservation{};
  std::optional<absl::Time> begin{};  // earliest start
  std::string array{};                // indices in Slurm's format
  // The numbers of the kinds are carme.v1.DependencyKind's.
  std::vector<std::pair<SlurmJobId, int>> dependencies{};
};

// A change of a job by its owner; at least one field is set.
struct JobChange {
  enum class Hold { kUnchanged, kHold, kRelease };
  std::optional<absl::Duration> walltime = {};  // whole minutes
  std::optional<std::string> name = {};
  Hold hold = Hold::kUnchanged;
};

// A part of the log of a job, of one of its apps, or of an array task.
struct LogPart {
  JobId job;
  std::optional<SlurmJobId> slurm_job = {};  // if set, the owner is verified
  std::string app = {};                      // empty: the log of the job
  int64_t offset = 0;                        // negative: from the end
  int max_bytes = 64 * 1024;                 // 1 to 64 KiB
  std::optional<uint32_t> task = {};         // index of an array task
};
struct LogText {
  std::string text;  // any bytes; empty at the end
  int64_t offset = 0;
  int64_t size = 0;  // of the whole log; may grow
};

// When and where Slurm would start a job.
struct SlurmStartEstimate {
  absl::Time starts_at;
  std::vector<std::string> nodes;  // at most 100
};

// A submission that the impersonator has prepared but not done. Destroying it
// without SubmitAsUser() aborts it: no job is submitted.
class PreparedSubmission {
 public:
  virtual ~PreparedSubmission() = default;
  // Call at most once. Blocks for at most the operation time-out.
  // PERMISSION_DENIED: refused by the impersonator's policy;
  // FAILED_PRECONDITION: refused by Slurm, with its message;
  // RESOURCE_EXHAUSTED: a rate limit; UNAVAILABLE: try again; INTERNAL: a bug.
  // With all of these nothing was submitted. DEADLINE_EXCEEDED and ABORTED:
  // unknown whether it was.
  virtual absl::StatusOr<SlurmJobId> SubmitAsUser() = 0;
};

// Thread-safe.
class Submitter {
 public:
  virtual ~Submitter() = default;
  // Starts the first phase: the impersonator checks the request, looks up and
  // becomes the user while the caller makes its record durable. Does not block.
  // Never null: errors are returned by SubmitAsUser().
  virtual std::unique_ptr<PreparedSubmission> Prepare(
      const PosixUser& user, const Submission& submission,
      const std::string& request_id) = 0;
  // The following block for at most the operation time-out.
  // OK also if the job has ended. Other codes as above.
  virtual absl::Status CancelAsUser(const PosixUser& user, SlurmJobId slurm_job,
                                    const JobId& job,
                                    const std::string& request_id) = 0;
  // FAILED_PRECONDITION: refused by Slurm, or the job has ended. Other
  // codes as above.
  virtual absl::Status UpdateAsUser(const PosixUser& user, SlurmJobId slurm_job,
                                    const JobId& job, const JobChange& change,
                                    const std::string& request_id) = 0;
  // Raises the time limit of a running job to `walltime`. Runs as SlurmUser,
  // within the impersonator's limits. Idempotent. FAILED_PRECONDITION: the job
  // is not running, or Slurm refused. Other codes as above.
  virtual absl::Status ExtendForUser(const PosixUser& user,
                                     SlurmJobId slurm_job, const JobId& job,
                                     absl::Duration walltime,
                                     const std::string& request_id) = 0;
  // Returns these nodes of a running job to Slurm, except those on which a step
  // of the user runs; those that the job does not have are ignored.
  // FAILED_PRECONDITION: the job is not running, or Slurm refused;
  // PERMISSION_DENIED: also if the job's batch script runs on one of them, or
  // steps on all. Other codes as above.
  virtual absl::Status ReturnNodesAsUser(const PosixUser& user,
                                         SlurmJobId slurm_job, const JobId& job,
                                         const std::vector<std::string>& nodes,
                                         const std::string& request_id) = 0;
  // When the job would start if it was submitted now. Slurm assumes that
  // running jobs use their whole walltime, and considers pending jobs as a
  // delay. FAILED_PRECONDITION: Slurm would refuse the job, or has no estimate.
  // Other codes as above.
  virtual absl::StatusOr<SlurmStartEstimate> EstimateStartAsUser(
      const PosixUser& user, const Submission& submission,
      const std::string& request_id) = 0;
  // NOT_FOUND: no log, or not yet. PERMISSION_DENIED: also if the file is not a
  // log of the job. Other codes as above.
  virtual absl::StatusOr<LogText> ReadLogAsUser(
      const PosixUser& user, const LogPart& part,
      const std::string& request_id) = 0;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_SUBMITTER_H_
