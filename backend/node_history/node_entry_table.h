// The tables `node_history` and `node_drains`. Each function runs in the body
// of a transaction or query; errors are the database's.
#ifndef CARME_BACKEND_NODE_HISTORY_NODE_ENTRY_TABLE_H_
#define CARME_BACKEND_NODE_HISTORY_NODE_ENTRY_TABLE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/node_history/rules/node_entry.h"
#include "backend/store/database.h"

namespace carme::backend {

// Of a node, from sources that jobs can cause, and from the others: neither
// displaces the other.
inline constexpr int kMaxEntriesOfNode = 200;

// False: there is one of this node, source, run and name already.
absl::StatusOr<bool> InsertNodeEntry(Database& db, const NodeEntry& entry);
// Deletes the entries of runs of this node and source that passed, which have
// no name: only the newest is kept, so that they displace no failure.
absl::Status DeletePassedRuns(Database& db, const NodeEntry& like);
// The number of entries of a run on a node.
absl::StatusOr<int> CountNodeEntries(Database& db, const NodeEntry& like);
// The nodes with failures in a run of this source; sorted, at most `max`.
absl::StatusOr<std::vector<std::string>> ReadFailedNodes(
    Database& db, v1::NodeEntrySource source, const std::string& run, int max);
// Those with a sequence below `before`, the newest first; 0: no bound.
absl::StatusOr<std::vector<NodeEntry>> ReadNodeEntries(Database& db,
                                                       const std::string& node,
                                                       int64_t before, int max);
absl::StatusOr<std::vector<std::string>> ReadNodesWithEntries(Database& db);
absl::Status DeleteNodeEntriesBefore(Database& db, absl::Time time);
// Deletes the oldest ones beyond kMaxEntriesOfNode.
absl::Status TrimNodeEntries(Database& db, const std::string& node);

// A node that a rule drains, until it is resumed.
struct NodeDrain {
  // Stored.
  enum class State {
    kRequested = 1,  // perhaps not drained yet
    kDrained = 2,
    kPassed = 3,  // the site's run passed since: to be resumed
  };
  std::string node{};
  std::string rule{};
  std::string reason{};
  std::string evaluations{};  // that must pass, one a line
  absl::Time requested_at{};
  State state = State::kRequested;
  friend bool operator==(const NodeDrain&, const NodeDrain&) = default;
};

absl::Status WriteNodeDrain(Database& db, const NodeDrain& drain);
absl::Status DeleteNodeDrain(Database& db, const std::string& node);
absl::StatusOr<std::vector<NodeDrain>> ReadNodeDrains(Database& db);
absl::StatusOr<std::optional<NodeDrain>> FindNodeDrain(Database& db,
                                                       const std::string& node);

}  // namespace carme::backend

#endif  // CARME_BACKEND_NODE_HISTORY_NODE_ENTRY_TABLE_H_
