// Reading the table `history`. Each function runs in the body of a transaction
// or query; errors are the database's. Who may read what was decided before.
#ifndef CARME_BACKEND_HISTORY_HISTORY_TABLE_H_
#define CARME_BACKEND_HISTORY_HISTORY_TABLE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/history/history_entry.h"
#include "backend/store/database.h"

namespace carme::backend {

// Whose own jobs are meant: a name may be given to another uid, and a uid to
// another name.
struct HistoryReader {
  Uid uid{};
  std::string username{};
};

// The last that ended first. `mine` is whom Whose::kMine means.
absl::StatusOr<HistoryPage> ReadHistory(
    Database& db, const HistoryReader& mine, const HistoryFilter& filter,
    int most, const std::optional<HistoryPlace>& from);

// Of jobs that have ended. A job that began before or ended after counts for
// its part within the time.
absl::StatusOr<std::vector<UsageSum>> ReadUsage(Database& db,
                                                const HistoryReader& mine,
                                                const UsageQuestion& question);

// Those of which slurmdbd is to be asked now, the newest first. The longer ago
// a job has ended, the less often it is asked about; after a week never.
absl::StatusOr<std::vector<HistoryEntry>> ReadUnaccounted(Database& db,
                                                          absl::Time now,
                                                          int most);

// What slurmdbd said of it.
absl::Status WriteAccounted(Database& db, const HistoryEntry& entry,
                            absl::Time now);
absl::Status WriteLooked(Database& db, const JobId& id, absl::Time now);

// What ended before, and the oldest of more than `most`.
absl::StatusOr<int64_t> ForgetHistory(Database& db, absl::Time before,
                                      int most);

}  // namespace carme::backend

#endif  // CARME_BACKEND_HISTORY_HISTORY_TABLE_H_
