// Reads and writes the table `history`. REQUIRES for all: in the body of a
// transaction or query. Errors are the database's. The caller checks
// permissions.
#ifndef CARME_BACKEND_HISTORY_HISTORY_TABLE_H_
#define CARME_BACKEND_HISTORY_HISTORY_TABLE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/history/history_entry.h"
#include "backend/store/database.h"

namespace carme::backend {

// Name and uid must both match: either may be reused.
struct HistoryReader {
  Uid uid{};
  std::string username{};
};

// Latest end first. `mine` is the user for v1::HISTORY_SCOPE_MINE.
absl::StatusOr<HistoryPage> ReadHistory(
    Database& db, const HistoryReader& mine, const HistoryFilter& filter,
    int max, const std::optional<HistoryPlace>& from);

// Of any owner, in any order; without those that are not there.
absl::StatusOr<std::vector<HistoryEntry>> ReadHistoryEntries(
    Database& db, const std::vector<JobId>& ids);

// Usage of ended jobs. Only the part of a job within the time counts.
absl::StatusOr<std::vector<UsageSum>> ReadUsage(Database& db,
                                                const HistoryReader& mine,
                                                const UsageQuery& query);

// The jobs to query in slurmdbd now, newest first. The longer ago a job ended,
// the less often it is queried; after a week never.
absl::StatusOr<std::vector<HistoryEntry>> ReadUnaccounted(Database& db,
                                                          absl::Time now,
                                                          int max);

// Writes the totals of slurmdbd.
absl::Status WriteAccounted(Database& db, const HistoryEntry& entry,
                            absl::Time now);
absl::Status RecordUnaccounted(Database& db, const JobId& id, absl::Time now);

// Deletes entries that ended before a time, and the oldest ones beyond `max`.
absl::StatusOr<int64_t> DeleteHistory(Database& db, absl::Time before, int max);

}  // namespace carme::backend

#endif  // CARME_BACKEND_HISTORY_HISTORY_TABLE_H_
