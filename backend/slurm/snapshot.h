// What Slurm said last, as plain values. No libslurm header is included here.
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
#include "common/ids.h"

namespace carme::backend {

enum class SlurmState {
  kPending,
  kRunning,
  kCompleting,  // over, but nodes are still being cleaned
  kSuspended,
  kCompleted,
  kCancelled,
  kPreempted,  // stopped for a job that goes first
  kFailed,
  kTimeLimit,
  kDeadline,  // it would not have ended before its deadline
  kNodeFail,
  kBootFail,  // a node did not start for it
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

// Kept are jobs whose comment is `carme:<job id>`, and those that are tracked
// (scheduler.h), whatever their comment says: its user may change it.
struct SlurmJob {
  SlurmJobId id;
  JobId carme_id;  // of its comment; empty: the comment names none
  Uid uid;
  SlurmState state = SlurmState::kUnknown;
  std::string reason;  // Slurm's word, e.g. "Resources"; empty when none
  // What Slurm adds to that word: nodes, a reservation, other jobs.
  std::string detail{};
  int restarts = 0;  // how often it was put back into the queue
  // Of a job that waits: those of its partition with a higher priority that
  // wait, too, and when Slurm means to start it. InfinitePast: not said.
  int ahead = 0;
  absl::Time expected_start = absl::InfinitePast();
  std::vector<std::string> nodes;  // expanded; the batch host first
  absl::Time started_at = absl::InfinitePast();  // not started: InfinitePast
  absl::Time ends_at = absl::InfiniteFuture();
  int exit_code = 0;  // the script's; 128 + signal when it was killed
  std::optional<absl::Duration> walltime{};  // absent: unlimited
  bool held = false;  // it waits until somebody releases it
  std::string partition{}, account{}, qos{}, reservation{};
  // Of an array: its own id, and this task's index; tasks that wait are one
  // record, without an index, whose indices are `tasks_waiting`: "3-9%4".
  SlurmJobId array{};
  std::optional<uint32_t> task{};
  std::string tasks_waiting{};
  // Tasks of the array that may run at once; 0: all; absent: not reported.
  std::optional<int> at_once{};
  std::string name{};  // any bytes; empty: not said
  // Slurm gives an id again after a purge or a lost state: id, uid and this are
  // the identity of a job. A requeue sets it anew. InfinitePast: not reported.
  absl::Time submitted = absl::InfinitePast();
  // What it holds, or requests while it waits; of an array one task.
  SlurmSize size{};
  // Who cancelled it: kNoUid is Slurm itself; absent: not reported, as always
  // by slurmctld.
  std::optional<Uid> cancelled_by{};
};

struct SlurmReservation {
  std::string name;
  absl::Time starts_at;
  absl::Time ends_at;
  std::vector<std::string> nodes;
  std::string partition;              // empty: any
  std::vector<std::string> users;     // who may use it; both empty: everybody
  std::vector<std::string> accounts;  // Slurm's
  std::vector<std::string> groups{};  // the hosts'
  bool for_maintenance = false;
  friend bool operator==(const SlurmReservation&,
                         const SlurmReservation&) = default;
};

struct SlurmNode {
  std::string name;
  std::string address;  // NodeAddr as slurm.conf has it: a literal or a name
  bool up = false;      // can run jobs: not down, drained, failing, reserved
  bool has_feature = false;  // carries Carme's feature
  int cpus = 0;
  int cpus_used = 0;
  int64_t memory_mib = 0;
  int64_t memory_used_mib = 0;
  std::map<std::string, int> gpus;  // by gres type; "gpu" where untyped
  std::map<std::string, int> gpus_used;
  std::vector<std::string> partitions;
  // By its features "driver-<version>" and "cuda-<version>"; empty: not said.
  std::string driver;
  std::string cuda;
  friend bool operator==(const SlurmNode&, const SlurmNode&) = default;
};

// What Slurm does with jobs of a partition. The numbers are
// carme.v1.PartitionState's.
enum class SlurmPartitionState {
  kOther = 0,
  kUp = 1,
  kDown = 2,      // accepts jobs and starts none
  kDrain = 3,     // accepts no new jobs
  kInactive = 4,  // neither accepts nor starts jobs
};

struct SlurmPartition {
  std::string name;
  bool is_default = false;
  bool up = false;                             // its state is kUp
  std::optional<absl::Duration> max_walltime;  // absent: unlimited
  std::vector<std::string> nodes;
  SlurmPartitionState state = SlurmPartitionState::kOther;
  std::string qos{};       // whose limits apply to all of its jobs; empty: none
  bool exclusive = false;  // a job gets all of its nodes' CPUs and memory
  friend bool operator==(const SlurmPartition&,
                         const SlurmPartition&) = default;
};

struct ClusterDetail;  // cluster_detail.h

// Immutable once published; hold it by shared_ptr<const>.
struct SlurmSnapshot {
  std::string cluster_name;
  bool reachable = false;
  absl::Time since = absl::InfinitePast();     // of `reachable`
  absl::Time asked_at = absl::InfinitePast();  // of the last good answer
  uint64_t version = 0;  // grows when nodes, partitions or health changed
  std::map<SlurmJobId, SlurmJob> jobs;
  // By partition: how many jobs wait for resources or for others, whosever.
  std::map<std::string, int> waiting;
  std::vector<SlurmNode> nodes;
  std::vector<SlurmPartition> partitions;
  std::vector<SlurmReservation> reservations;
  // Asked for now and then; null: not known.
  std::shared_ptr<const SlurmAccounting> accounting;
  SlurmEnforcement enforcement{};
  // When Slurm was last asked for all of nodes, partitions and reservations.
  absl::Time resources_asked_at = absl::InfinitePast();
  std::shared_ptr<const ClusterDetail> detail;  // null before the first answer
  int max_array_size = 0;  // indices of arrays are below it; 0: not known
  // How long a job that ended stays among `jobs`; infinite: for good.
  absl::Duration min_job_age = absl::InfiniteDuration();
  // When Slurm was asked for `reservations`, which is less often than for jobs;
  // and whether it may have others that Carme is not shown (PrivateData).
  absl::Time reservations_asked_at = absl::InfinitePast();
  bool reservations_hidden = false;
  // Jobs that Slurm was asked for by their ids since `asked_at`, and when. What
  // `jobs` has of them is of then; that it has none says nothing here.
  std::map<SlurmJobId, absl::Time> asked_alone{};
};

// Of when it is what the snapshot has of a job, of an array by the array's id.
inline absl::Time AskedAt(const SlurmSnapshot& snapshot, SlurmJobId job) {
  const auto found = snapshot.asked_alone.find(job);
  return found == snapshot.asked_alone.end() ? snapshot.asked_at
                                             : found->second;
}

using SlurmSnapshotPtr = std::shared_ptr<const SlurmSnapshot>;

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_SNAPSHOT_H_
