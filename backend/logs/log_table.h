// The table `service_log`. Each function runs in the body of a transaction or
// query; errors are the database's.
#ifndef CARME_BACKEND_LOGS_LOG_TABLE_H_
#define CARME_BACKEND_LOGS_LOG_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/store/database.h"
#include "carme/v1/log.pb.h"

namespace carme::backend {

// carme.v1.LogEntry as a plain value.
struct LogRow {
  int64_t sequence = 0;  // 0: not stored yet
  absl::Time at{};
  // Shares one budget: "service:carme-backend", "node:n1", "user:ada".
  std::string source{};
  v1::LogSeverity severity = v1::LOG_SEVERITY_ERROR;
  std::string service{};
  std::string node{};
  std::string job_id{};
  uint32_t slurm_job_id = 0;
  std::string user{};
  std::string request_id{};
  std::string message{};
  friend bool operator==(const LogRow&, const LogRow&) = default;
};

// LogFilter as a plain value; empty or 0: no condition.
struct LogQuery {
  std::string job_id{};
  uint32_t slurm_job_id = 0;
  std::string node{};
  std::string service{};
  std::string request_id{};
  v1::LogSeverity min_severity = v1::LOG_SEVERITY_UNSPECIFIED;
  absl::Time since = absl::InfinitePast();
  absl::Time until = absl::InfiniteFuture();
};

absl::Status InsertLogRow(Database& db, const LogRow& row);
// Rows with a sequence below `before`, the newest first. 0: no bound.
absl::StatusOr<std::vector<LogRow>> ReadLogRows(Database& db,
                                                const LogQuery& query,
                                                int64_t before, int max);
absl::Status DeleteLogRowsBefore(Database& db, absl::Time time);
// Deletes the oldest rows of this source beyond `max`.
absl::Status TrimLogSource(Database& db, const std::string& source, int max);
// Deletes rows beyond `max`: the oldest of the source that has the largest
// number, until the rest fits.
absl::Status TrimLog(Database& db, int max);

}  // namespace carme::backend

#endif  // CARME_BACKEND_LOGS_LOG_TABLE_H_
