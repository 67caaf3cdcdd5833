// Queries slurmctld for changes and keeps the last known state.
#ifndef CARME_BACKEND_SLURM_QUERY_SLURM_QUERY_H_
#define CARME_BACKEND_SLURM_QUERY_SLURM_QUERY_H_

#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/slurm/cluster_detail.h"
#include "backend/slurm/slurm_config.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

// The state of Slurm, as far as Carme needs it.
struct SlurmFacts {
  std::string cluster_name;
  std::string slurm_version{};  // slurmctld's
  int max_array_size = 0;
  absl::Duration min_job_age = absl::InfiniteDuration();
  std::map<SlurmJobId, SlurmJob> jobs;
  std::map<std::string, int> waiting;
  std::vector<SlurmNode> nodes;
  std::vector<SlurmPartition> partitions;
  std::vector<SlurmReservation> reservations;
  absl::Time reservations_asked_at = absl::InfinitePast();
  bool reservations_hidden = false;
  std::shared_ptr<const SlurmAccounting> accounting;
  SlurmEnforcement enforcement{};
  absl::Time resources_asked_at = absl::InfinitePast();
  std::shared_ptr<const ClusterDetail> detail;
  // If not empty, only these jobs were queried, and nothing else is filled in.
  std::vector<SlurmJobId> refreshed_jobs{};
};

// What a poll must include beside jobs, even if it is not due.
struct PollScope {
  bool resources = false;  // nodes, partitions and reservations
  bool accounting = false;
  // Of a poll of some jobs: those that were polled just before, of which only a
  // new state is of interest.
  std::set<SlurmJobId> state_suffices{};
};

// Not thread-safe.
class SlurmQuery {
 public:
  // REQUIRES: CheckSlurmConf(config) is OK; otherwise libslurm ends the
  // process.
  explicit SlurmQuery(const SlurmConfig& config);
  // Blocks for up to MessageTimeout of slurm.conf, several times. Queries jobs
  // each time, nodes and partitions in some rounds only. UNAVAILABLE: facts()
  // is unchanged.
  absl::Status Refresh(PollScope scope = {});
  // Queries only these jobs (all tasks of arrays), one request each, and
  // updates facts(). Jobs that Slurm does not have are left out. Those of
  // `state_suffices` whose state is unchanged keep their record: with libslurm
  // 23.11 or newer all of them are one request. UNAVAILABLE.
  absl::StatusOr<std::map<SlurmJobId, SlurmJob>> RefreshJob(
      const std::vector<SlurmJobId>& jobs,
      const std::set<SlurmJobId>& state_suffices = {});
  // Jobs or arrays that are included even if their comment names no job of
  // Carme. They are in facts() from the next Refresh() or RefreshJob() on.
  void Track(std::set<SlurmJobId> jobs);
  const SlurmFacts& facts() const { return facts_; }

 private:
  absl::Status PollChanges(PollScope scope, absl::Time now);
  absl::StatusOr<std::map<SlurmJobId, SlurmJob>> LoadJobs(
      const std::vector<SlurmJobId>& jobs);
  // Of `jobs`, those whose state, and that of all tasks, is as in facts_.
  std::set<SlurmJobId> FindUnchanged(const std::set<SlurmJobId>& jobs) const;
  // Decides whether the next query may ask for changes only.
  void OnPollEnd(absl::Time begun, const absl::Status& answer);
  // Of slurmctld.
  absl::Status RefreshConfiguration();
  // The first query after an outage failed with this error of libslurm.
  absl::Status NoConfiguration(int error);
  absl::Status RefreshJobs();
  absl::Status RefreshNodes();
  absl::Status RefreshPartitions();
  // Not at each refresh: they change rarely, and each query costs slurmctld.
  absl::Status RefreshReservations();
  // Rarely; more often while a job of Carme waits for a limit of Slurm.
  // `wanted`: a caller waits for it; then every few seconds.
  void RefreshAccounting(bool wanted);
  void NamePartitionsOfNodes();
  void PublishDetail();

  const SlurmConfig config_;
  std::set<SlurmJobId> tracked_;
  SlurmFacts facts_;
  ClusterDetail detail_;
  bool detail_is_new_ = false;  // not yet in facts_
  // slurmctld's time of the last update of each kind; 0: none yet.
  time_t jobs_at_ = 0;
  time_t nodes_at_ = 0;
  time_t partitions_at_ = 0;
  time_t reservations_at_ = 0;
  bool hides_reservations_ = false;
  bool configuration_is_known_ = false;
  // When releases were compared last; the text is of that time.
  absl::Time releases_compared_at_ = absl::InfinitePast();
  std::optional<std::string> release_mismatch_;
  int round_ = 0;             // the next round; errors do not count
  bool jobs_changed_ = true;  // since the last query of nodes
  absl::Time accounting_at_ = absl::InfinitePast();  // time of the last query
  bool retains_memory_ = false;  // for responses, once they are large
};

// The maximum age of associations and QOS for a refusal that depends on them.
// It is longer for large sites, because slurmctld takes longer to report them.
absl::Duration AccountingAgeFor(const SlurmAccounting* accounting);

// FAILED_PRECONDITION: slurm.conf cannot be read.
absl::Status CheckSlurmConf(const SlurmConfig& config);

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_QUERY_SLURM_QUERY_H_
