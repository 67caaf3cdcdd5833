#include "backend/node_history/node_history.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "backend/node_history/messages.h"
#include "common/name_rules.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxShownName = 64;

std::set<std::string> NodeNamesOf(const SlurmSnapshot& snapshot) {
  std::set<std::string> names;
  for (const SlurmNode& node : snapshot.nodes) names.insert(node.name);
  return names;
}

}  // namespace

absl::Status NodeHistory::Record(std::vector<NodeEntry> entries) {
  if (entries.empty()) return absl::OkStatus();
  const std::set<std::string> known = NodeNamesOf(*scheduler_.Snapshot());
  std::erase_if(entries, [&](const NodeEntry& entry) {
    return !known.contains(entry.node);
  });
  const absl::Status stored =
      database_.Transact([&](Database& db) -> absl::Status {
        for (const NodeEntry& entry : entries) {
          RETURN_IF_ERROR(Insert(db, entry).status());
        }
        return absl::OkStatus();
      });
  RETURN_IF_ERROR(stored);
  std::set<std::string> changed;
  for (const NodeEntry& entry : entries) changed.insert(entry.node);
  AddChanged(changed);
  return absl::OkStatus();
}

void NodeHistory::Enqueue(std::vector<NodeEntry> entries) {
  absl::MutexLock lock(&mutex_);
  for (NodeEntry& entry : entries) {
    if (queue_.size() < kMaxQueued) queue_.push_back(std::move(entry));
  }
}

absl::Status NodeHistory::Flush() {
  std::vector<NodeEntry> entries;
  {
    absl::MutexLock lock(&mutex_);
    entries = std::exchange(queue_, {});
  }
  return Record(std::move(entries));
}

absl::Status NodeHistory::CheckNodes(const NodeVetRun& run) const {
  if (!kRequestIdRule.Allows(run.run)) {
    return MakeError(node_history_messages::kRunIdInvalid);
  }
  if (run.nodes.empty() || run.nodes.size() > size_t{kMaxNodesOfRun}) {
    return MakeError(node_history_messages::kNodeCountOfRunInvalid,
                     {{"nodes", run.nodes.size()}, {"max", kMaxNodesOfRun}});
  }
  const SlurmSnapshotPtr snapshot = scheduler_.Snapshot();
  const std::set<std::string> known = NodeNamesOf(*snapshot);
  for (const v1::NodeVetReport& report : run.nodes) {
    const std::string shown = PlainText(report.node(), kMaxShownName);
    const int evaluations =
        std::max(report.passed_size(), report.failures_size());
    if (evaluations > kMaxEvaluations) {
      return MakeError(node_history_messages::kTooManyEvaluations,
                       {{"evaluations", evaluations},
                        {"node", shown},
                        {"max", kMaxEvaluations}});
    }
    if (known.contains(report.node())) continue;
    if (known.empty()) {
      return MakeError(node_history_messages::kNodesNotReadYet);
    }
    return MakeError(node_history_messages::kNodeOfRunUnknown,
                     {{"node", shown}});
  }
  return absl::OkStatus();
}

absl::Status NodeHistory::RecordVetRun(const NodeVetRun& run) {
  RETURN_IF_ERROR(CheckNodes(run));
  std::set<std::string> changed;
  const absl::Status stored =
      database_.Transact([&](Database& db) -> absl::Status {
        for (const v1::NodeVetReport& report : run.nodes) {
          RETURN_IF_ERROR(InsertNode(db, run, report));
          changed.insert(report.node());
        }
        return absl::OkStatus();
      });
  RETURN_IF_ERROR(stored);
  AddChanged(changed);
  return absl::OkStatus();
}

absl::Status NodeHistory::InsertNode(Database& db, const NodeVetRun& run,
                                     const v1::NodeVetReport& report) {
  NodeEntry entry{.node = report.node(),
                  .source = run.source,
                  .run = run.run,
                  .job_id = run.job_id,
                  .slurm_job_id = run.slurm_job_id,
                  .user = run.user};
  for (const v1::VetFailure& failure : report.failures()) {
    entry.severity = v1::NODE_ENTRY_SEVERITY_ERROR;
    entry.name = failure.evaluation();
    entry.text = failure.reason();
    RETURN_IF_ERROR(Insert(db, entry).status());
  }
  if (!report.failures().empty() || report.passed().empty()) {
    return absl::OkStatus();
  }
  entry.severity = v1::NODE_ENTRY_SEVERITY_INFO;
  entry.name.clear();
  entry.text = MakeText(
      node_history_messages::kRunPassed,
      {{"evaluations",
        Readable(absl::StrJoin(report.passed(), ", "), kMaxTextBytes)}});
  // A report that is sent again must not end a later drain.
  ASSIGN_OR_RETURN(const int known, CountNodeEntries(db, entry));
  if (known > 0) return absl::OkStatus();
  RETURN_IF_ERROR(DeletePassedRuns(db, entry));
  RETURN_IF_ERROR(Insert(db, entry).status());
  if (!IsSiteRun(run.source)) return absl::OkStatus();
  return MarkPassed(db, report);
}

// A run without the evaluations that failed proves nothing.
absl::Status NodeHistory::MarkPassed(Database& db,
                                     const v1::NodeVetReport& report) {
  ASSIGN_OR_RETURN(std::optional<NodeDrain> drain,
                   FindNodeDrain(db, report.node()));
  if (!drain || drain->state != NodeDrain::State::kDrained) {
    return absl::OkStatus();
  }
  std::set<std::string> passed;
  for (const std::string& name : report.passed()) {
    passed.insert(Readable(name, kMaxNameBytes));
  }
  const std::vector<std::string> needed =
      absl::StrSplit(drain->evaluations, '\n', absl::SkipEmpty());
  for (const std::string& name : needed) {
    if (!passed.contains(name)) return absl::OkStatus();
  }
  drain->state = NodeDrain::State::kPassed;
  return WriteNodeDrain(db, *drain);
}

absl::StatusOr<bool> NodeHistory::Insert(Database& db, NodeEntry entry) {
  entry.at = clock_.Now();
  entry.name = Readable(entry.name, kMaxNameBytes);
  entry.text.text = Readable(entry.text.text, kMaxTextBytes);
  entry.user = Readable(entry.user, kMaxNameBytes);
  ASSIGN_OR_RETURN(const int entries, CountNodeEntries(db, entry));
  if (entries >= kMaxEntriesOfRun) return false;
  ASSIGN_OR_RETURN(const bool is_new, InsertNodeEntry(db, entry));
  if (is_new) RETURN_IF_ERROR(TrimNodeEntries(db, entry.node));
  return is_new;
}

absl::StatusOr<std::vector<std::string>> NodeHistory::FailedNodesOf(
    const std::string& job_id) const {
  std::vector<std::string> nodes;
  RETURN_IF_ERROR(database_.Query([&](Database& db) -> absl::Status {
    // The run of a user's job has its id.
    ASSIGN_OR_RETURN(nodes, ReadFailedNodes(db, v1::NODE_ENTRY_SOURCE_JOB_VET,
                                            job_id, kMaxNodesOfRun));
    return absl::OkStatus();
  }));
  return nodes;
}

absl::StatusOr<std::vector<NodeEntry>> NodeHistory::Read(
    const std::string& node, int64_t before, int max) const {
  std::vector<NodeEntry> entries;
  RETURN_IF_ERROR(database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(entries, ReadNodeEntries(db, node, before, max));
    return absl::OkStatus();
  }));
  return entries;
}

absl::StatusOr<std::optional<NodeDrain>> NodeHistory::DrainOf(
    const std::string& node) const {
  std::optional<NodeDrain> drain;
  RETURN_IF_ERROR(database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(drain, FindNodeDrain(db, node));
    return absl::OkStatus();
  }));
  return drain;
}

std::set<std::string> NodeHistory::Avoided() const {
  absl::MutexLock lock(&mutex_);
  return avoided_;
}

void NodeHistory::SetAvoided(std::set<std::string> nodes) {
  absl::MutexLock lock(&mutex_);
  avoided_ = std::move(nodes);
}

bool NodeHistory::IsVetRequested(const std::string& node) const {
  absl::MutexLock lock(&mutex_);
  return vet_requested_.contains(node);
}

void NodeHistory::SetVetRequested(std::set<std::string> nodes) {
  absl::MutexLock lock(&mutex_);
  vet_requested_ = std::move(nodes);
}

std::set<std::string> NodeHistory::TakeChanged() {
  absl::MutexLock lock(&mutex_);
  return std::exchange(changed_, {});
}

void NodeHistory::AddChanged(const std::set<std::string>& nodes) {
  absl::MutexLock lock(&mutex_);
  changed_.insert(nodes.begin(), nodes.end());
}

}  // namespace carme::backend
