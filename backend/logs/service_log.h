// The service log: warnings and errors of Carme's programs, for administrators.
//
// Entries of one source (a node's hooks, a user's agents, a program) share a
// rate and a number of stored rows: a source that exceeds them loses its own
// entries only, and their number is recorded. Append() never waits; a thread
// writes once a second. What was appended in the last second before a crash is
// lost.
#ifndef CARME_BACKEND_LOGS_SERVICE_LOG_H_
#define CARME_BACKEND_LOGS_SERVICE_LOG_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/logs/log_table.h"
#include "backend/logs/logs_config.h"
#include "backend/store/database.h"
#include "common/clock.h"

namespace carme::backend {

// Entries of one source in a minute; further ones are dropped and counted.
inline constexpr int kMaxLogEntriesPerMinute = 60;
inline constexpr size_t kMaxLogMessageBytes = 1000;

// Thread-safe. Logs nothing itself: it receives the backend's own log.
class ServiceLog {
 public:
  // Both must outlive the object.
  ServiceLog(Database* database, const Clock* clock, const LogsConfig& config);

  // Adds an entry: `sequence` and `at` are set here; texts are cut and made
  // readable.
  void Append(LogRow row);
  // Adds a number of entries that the source itself has dropped.
  void CountDropped(const LogRow& row, uint64_t dropped);

  // Writes what was appended, and deletes what exceeds a limit. Call it every
  // second. After an error the entries are lost; the health of the database
  // shows the error.
  absl::Status Flush();

  // As ReadLogRows().
  absl::StatusOr<std::vector<LogRow>> Read(const LogQuery& query,
                                           int64_t before, int max) const;

 private:
  struct SourceBudget {
    absl::Time minute{};  // its begin
    int entries = 0;
    uint64_t dropped = 0;
    LogRow last{};  // names the source in the entry with the number
  };
  void Add(LogRow row, uint64_t dropped);
  std::vector<LogRow> TakeRows();

  Database* const database_;
  const Clock& clock_;
  const LogsConfig config_;
  absl::Mutex mutex_;
  std::vector<LogRow> rows_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, SourceBudget> budgets_ ABSL_GUARDED_BY(mutex_);
  absl::Time next_expiry_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_LOGS_SERVICE_LOG_H_
