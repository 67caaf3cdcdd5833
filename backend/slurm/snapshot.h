// The last known state of Slurm as plain values. Includes no libslurm header.
#ifndef CARME_BACKEND_SLURM_SNAPSHOT_H_
#define CARME_BACKEND_SLURM_SNAPSHOT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "backend/slurm/limits/slurm_accounting.h"
#include "carme/v1/cluster.pb.h"
#include "common/ids.h"

namespace carme::backend {

enum class SlurmState {
  kPending,
  kRunning,
  kCompleting,  // over, but its nodes are still being cleaned up
  kSuspended,
  kCompleted,
  kCancelled,
  kPreempted,  // stopped for a job with precedence
  kFailed,
  kTimeLimit,
  kDeadline,  // could not have ended before its deadline
  kNodeFail,
  kBootFail,  // a node failed to boot
  kOutOfMemory,
  kUnknown,
};

// The size of a job as Slurm reports it.
struct SlurmSize {
  int nodes = 0;           // 0: not reported
  int cpus = 0;            // on all nodes; 0: not reported
  int64_t memory_mib = 0;  // on all nodes; 0: not reported
  // On all nodes, by type, "gpu" where untyped; absent: not reported.
  std::optional<std::map<std::string, int>> gpus{};
  friend bool operator==(const SlurmSize&, const SlurmSize&) = default;
};

// Snapshots include jobs whose comment is `carme:<job id>`, and tracked jobs
// (scheduler.h) with any comment, because users can change it.
struct SlurmJob {
  SlurmJobId id;
  JobId carme_id;  // from its comment; empty: none
  Uid uid;
  SlurmState state = SlurmState::kUnknown;
  std::string reason;  // Slurm's reason, such as "Resources"; may be empty
  // Details of the reason: nodes, a reservation, other jobs.
  std::string detail{};
  int restarts = 0;  // how often it was requeued
  // For a pending job: the pending jobs of its partition with a higher
  // priority, and Slurm's expected start. InfinitePast: not reported.
  int ahead = 0;
  absl::Time expected_start = absl::InfinitePast();
  std::vector<std::string> nodes;  // expanded; the batch host first
  absl::Time started_at = absl::InfinitePast();  // InfinitePast: not started
  absl::Time ends_at = absl::InfiniteFuture();
  int exit_code = 0;  // the script's; 128 + signal when it was killed
  std::optional<absl::Duration> walltime{};  // absent: unlimited
  bool held = false;                         // pending until it is released
  std::string partition{}, account{}, qos{}, reservation{};
  // For an array: its id and this task's index. Pending tasks share one record
  // without an index; `tasks_waiting` has their indices: "3-9%4".
  SlurmJobId array{};
  std::optional<uint32_t> task{};
  std::string tasks_waiting{};
  // Concurrent tasks of the array; 0: no limit; absent: not reported.
  std::optional<int> at_once{};
  std::string name{};  // any bytes; empty: not reported
  // Slurm reuses ids after a purge or a lost state: id, uid and submit time
  // identify a job. A requeue changes it. InfinitePast: not reported.
  absl::Time submitted = absl::InfinitePast();
  // Allocated, or requested while pending; for an array of one task.
  SlurmSize size{};
  // The user who cancelled it; kNoUid: Slurm itself; absent: not reported, as
  // always by slurmctld.
  std::optional<Uid> cancelled_by{};
};

struct SlurmReservation {
  std::string name;
  absl::Time starts_at;
  absl::Time ends_at;
  std::vector<std::string> nodes;
  std::string partition;              // empty: any
  std::vector<std::string> users;     // may use it; both empty: all users
  std::vector<std::string> accounts;  // Slurm accounts
  std::vector<std::string> groups{};  // Unix groups
  bool for_maintenance = false;
  friend bool operator==(const SlurmReservation&,
                         const SlurmReservation&) = default;
};

struct SlurmNode {
  std::string name;
  std::string address;  // NodeAddr as slurm.conf has it: a literal or a name
  bool up = false;      // can run jobs: not down, drained, failing or reserved
  bool has_feature = false;  // has Carme's feature
  int cpus = 0;
  int cpus_used = 0;
  int64_t memory_mib = 0;
  int64_t memory_used_mib = 0;
  std::map<std::string, int> gpus;  // by gres type; "gpu" where untyped
  std::map<std::string, int> gpus_used;
  std::vector<std::string> partitions;
  // From features "driver-<version>" and "cuda-<version>"; may be empty.
  std::string driver;
  std::string cuda;
  friend bool operator==(const SlurmNode&, const SlurmNode&) = default;
};

struct SlurmPartition {
  std::string name;
  bool is_default = false;
  bool up = false;                             // its state is kUp
  std::optional<absl::Duration> max_walltime;  // absent: unlimited
  std::vector<std::string> nodes;
  v1::PartitionState state = v1::PARTITION_STATE_UNSPECIFIED;
  std::string
      qos{};  // its limits apply to all jobs of the partition; empty: none
  bool exclusive = false;  // jobs get whole nodes
  friend bool operator==(const SlurmPartition&,
                         const SlurmPartition&) = default;
};

struct ClusterDetail;  // cluster_detail.h

// Immutable once published; hold it by shared_ptr<const>.
struct SlurmSnapshot {
  std::string cluster_name;
  std::string slurm_version{};  // slurmctld's: "24.11.5"
  bool reachable = false;
  std::string problem{};  // why it is not reachable, for administrators
  absl::Time since =
      absl::InfinitePast();  // since when `reachable` has its value
  absl::Time asked_at =
      absl::InfinitePast();  // start of the last successful full poll
  uint64_t version =
      0;  // incremented when nodes, partitions or `reachable` change
  std::map<SlurmJobId, SlurmJob> jobs;
  // By partition: all pending jobs that wait for resources or priority.
  std::map<std::string, int> waiting;
  std::vector<SlurmNode> nodes;
  std::vector<SlurmPartition> partitions;
  std::vector<SlurmReservation> reservations;
  // Loaded from time to time; null: unknown.
  std::shared_ptr<const SlurmAccounting> accounting;
  SlurmEnforcement enforcement{};
  // Start of the last poll that included nodes, partitions and reservations.
  absl::Time resources_asked_at = absl::InfinitePast();
  std::shared_ptr<const ClusterDetail> detail;  // null before the first poll
  int max_array_size = 0;  // array indices must be below it; 0: unknown
  // How long an ended job stays in `jobs`; infinite: forever.
  absl::Duration min_job_age = absl::InfiniteDuration();
  // When `reservations` were queried, which is less often than jobs, and
  // whether PrivateData may hide others.
  absl::Time reservations_asked_at = absl::InfinitePast();
  bool reservations_hidden = false;
  // Jobs that were queried individually after `asked_at`, and when. Their
  // records in `jobs` are of that time; a missing record means nothing.
  std::map<SlurmJobId, absl::Time> refreshed_jobs{};
};

// The time of the snapshot's record of a job; of an array by the array's id.
inline absl::Time AskedAt(const SlurmSnapshot& snapshot, SlurmJobId job) {
  const auto found = snapshot.refreshed_jobs.find(job);
  return found == snapshot.refreshed_jobs.end() ? snapshot.asked_at
                                                : found->second;
}

using SlurmSnapshotPtr = std::shared_ptr<const SlurmSnapshot>;

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_SNAPSHOT_H_
