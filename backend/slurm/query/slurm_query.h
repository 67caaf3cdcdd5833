// Asks slurmctld what is new, and keeps what was known.
#ifndef CARME_BACKEND_SLURM_QUERY_SLURM_QUERY_H_
#define CARME_BACKEND_SLURM_QUERY_SLURM_QUERY_H_

#include <ctime>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/slurm/cluster_detail.h"
#include "backend/slurm/slurm_config.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

// What Slurm knows, as far as Carme is concerned.
struct SlurmFacts {
  std::string cluster_name;
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
  // Only for these jobs Slurm was asked, and nothing else is said here; empty:
  // for all of it.
  std::vector<SlurmJobId> asked_alone{};
};

// What a look asks for beside jobs, even if it is not time for it.
struct PollScope {
  bool resources = false;  // nodes, partitions and reservations
  bool accounting = false;
};

// Not thread-safe.
class SlurmQuery {
 public:
  // REQUIRES: CheckSlurmConf(config) is OK; otherwise libslurm ends the
  // process.
  explicit SlurmQuery(const SlurmConfig& config);
  // Blocks for as long as slurm.conf's MessageTimeout, several times over.
  // Jobs are asked for each time, nodes and partitions in some rounds only.
  // UNAVAILABLE: facts() are what they were.
  absl::Status Refresh(PollScope scope = {});
  // Asks for these jobs alone, of arrays for all tasks, with one request each;
  // facts() has them then. One that Slurm does not have is left out of the
  // answer. UNAVAILABLE.
  absl::StatusOr<std::map<SlurmJobId, SlurmJob>> RefreshJob(
      const std::vector<SlurmJobId>& jobs);
  // Jobs, or arrays, that are kept even if their comment names no job of
  // Carme's. They are in facts() from the next Refresh() or RefreshJob() on.
  void Track(std::set<SlurmJobId> jobs);
  const SlurmFacts& facts() const { return facts_; }

 private:
  absl::Status AskWhatIsNew(PollScope scope, absl::Time now);
  absl::StatusOr<std::map<SlurmJobId, SlurmJob>> AskFor(
      const std::vector<SlurmJobId>& jobs);
  // Whatever was asked: whether what is new since the last answer is all.
  void NoteAnswer(absl::Time begun, const absl::Status& answer);
  // What slurmctld goes by.
  absl::Status RefreshConfiguration();
  absl::Status RefreshJobs();
  absl::Status RefreshNodes();
  absl::Status RefreshPartitions();
  // Not at each refresh: they change seldom, and each question costs slurmctld.
  absl::Status RefreshReservations();
  // Seldom, and more often while a job of Carme's waits for a limit of Slurm's.
  // `wanted`: a caller waits for it; then every few seconds.
  void RefreshAccounting(bool wanted);
  void NamePartitionsOfNodes();
  void PublishDetail();

  const SlurmConfig config_;
  std::set<SlurmJobId> tracked_;
  SlurmFacts facts_;
  ClusterDetail detail_;
  bool detail_is_new_ = false;  // and not in facts_ yet
  // Slurm's own time of what is known, of each kind; 0: nothing yet.
  time_t jobs_at_ = 0;
  time_t nodes_at_ = 0;
  time_t partitions_at_ = 0;
  time_t reservations_at_ = 0;
  bool hides_reservations_ = false;
  bool configuration_is_known_ = false;
  int round_ = 0;             // the next one; an error does not count
  bool jobs_changed_ = true;  // since the nodes were asked for
  absl::Time accounting_at_ = absl::InfinitePast();  // asked, here
  bool keeps_memory_ = false;  // for answers, once they are large
};

// How old what is known of associations and QOS may be for a refusal that rests
// on it: reading them takes slurmctld longer the more there are.
absl::Duration AccountingAgeFor(const SlurmAccounting* accounting);

// FAILED_PRECONDITION: slurm.conf cannot be read.
absl::Status CheckSlurmConf(const SlurmConfig& config);

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_QUERY_SLURM_QUERY_H_
