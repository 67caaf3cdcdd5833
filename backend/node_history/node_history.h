// The history of nodes: results of vetting, ends of jobs, findings and failures
// of hooks, and what rules did about them. In the database, bounded by node,
// run and age; it survives a restart.
#ifndef CARME_BACKEND_NODE_HISTORY_NODE_HISTORY_H_
#define CARME_BACKEND_NODE_HISTORY_NODE_HISTORY_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "backend/node_history/node_entry_table.h"
#include "backend/node_history/rules/node_entry.h"
#include "backend/slurm/scheduler.h"
#include "backend/store/database.h"
#include "carme/v1/node_history.pb.h"
#include "common/clock.h"

namespace carme::backend {

// A run of `carme vet`.
struct NodeVetRun {
  // PROLOG_VET or SITE_VET: proved to be by root, or by an administrator.
  v1::NodeEntrySource source = v1::NODE_ENTRY_SOURCE_JOB_VET;
  std::string run{};  // its id; of a user's run: the job's
  std::string job_id{};
  uint32_t slurm_job_id = 0;
  std::string user{};
  std::vector<v1::NodeVetReport> nodes{};
};

// Thread-safe.
class NodeHistory {
 public:
  static constexpr int kMaxNodesOfRun = 1000;
  static constexpr int kMaxEvaluations = 64;
  // Of a run on a node; further ones are dropped, so that a job cannot fill
  // the history.
  static constexpr int kMaxEntriesOfRun = 16;
  static constexpr size_t kMaxQueued = 1000;
  static constexpr size_t kMaxNameBytes = 64;
  static constexpr size_t kMaxTextBytes = 400;

  // All must outlive the object.
  NodeHistory(Database* database, const Clock* clock, Scheduler* scheduler)
      : database_(*database), clock_(*clock), scheduler_(*scheduler) {}

  // Adds entries: `sequence` and `at` are set here; texts are cut and made
  // readable. What is recorded already, and entries of nodes that Slurm does
  // not have, are dropped.
  absl::Status Record(std::vector<NodeEntry> entries);

  // The same at the next Flush(). Does not block: for the thread that polls
  // Slurm. At most kMaxQueued wait; further ones, and those of the last seconds
  // before a crash, are lost.
  void Enqueue(std::vector<NodeEntry> entries);
  absl::Status Flush();

  // Adds an entry for each failure, and one for a node that passed. A passed
  // run of the site lets a drain end whose evaluations all passed. NOT_FOUND:
  // Slurm has no such node; UNAVAILABLE: that is not known yet;
  // INVALID_ARGUMENT. After an error nothing is recorded.
  absl::Status RecordVetRun(const NodeVetRun& run);

  // The nodes with failures in the runs of `carme vet` in a user's job; sorted.
  absl::StatusOr<std::vector<std::string>> FailedNodesOf(
      const std::string& job_id) const;

  // As ReadNodeEntries().
  absl::StatusOr<std::vector<NodeEntry>> Read(const std::string& node,
                                              int64_t before, int max) const;
  absl::StatusOr<std::optional<NodeDrain>> DrainOf(
      const std::string& node) const;

  // The nodes that new jobs should not use; sorted. The enforcer sets them.
  std::set<std::string> Avoided() const;
  void SetAvoided(std::set<std::string> nodes);
  // Whether the site should vet the node. The enforcer sets the nodes.
  bool IsVetRequested(const std::string& node) const;
  void SetVetRequested(std::set<std::string> nodes);
  // The nodes with new entries since the last call.
  std::set<std::string> TakeChanged();

 private:
  absl::Status CheckNodes(const NodeVetRun& run) const;
  // False: it is recorded already, or the run has too many entries. REQUIRES:
  // in the body of a transaction.
  absl::StatusOr<bool> Insert(Database& db, NodeEntry entry);
  absl::Status InsertNode(Database& db, const NodeVetRun& run,
                          const v1::NodeVetReport& report);
  absl::Status MarkPassed(Database& db, const v1::NodeVetReport& report);
  void AddChanged(const std::set<std::string>& nodes);

  Database& database_;
  const Clock& clock_;
  Scheduler& scheduler_;
  mutable absl::Mutex mutex_;
  std::set<std::string> avoided_ ABSL_GUARDED_BY(mutex_);
  std::set<std::string> vet_requested_ ABSL_GUARDED_BY(mutex_);
  std::set<std::string> changed_ ABSL_GUARDED_BY(mutex_);
  std::vector<NodeEntry> queue_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_NODE_HISTORY_NODE_HISTORY_H_
