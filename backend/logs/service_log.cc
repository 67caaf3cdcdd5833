#include "backend/logs/service_log.h"

#include <set>
#include <utility>

#include "backend/logs/messages.h"
#include "common/message.h"
#include "common/printable.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kBudgetPeriod = absl::Minutes(1);
constexpr absl::Duration kBetweenExpiries = absl::Hours(1);
// Of all sources between two writes.
constexpr size_t kMaxWaitingRows = 5000;
constexpr size_t kMaxBudgets = 20'000;
constexpr size_t kMaxNameBytes = 255;

void MakeReadable(LogRow* row) {
  for (std::string* name : {&row->source, &row->service, &row->node,
                            &row->job_id, &row->user, &row->request_id}) {
    *name = Readable(*name, kMaxNameBytes);
  }
  row->message = Readable(row->message, kMaxLogMessageBytes);
}

}  // namespace

ServiceLog::ServiceLog(Database* database, const Clock* clock,
                       const LogsConfig& config)
    : database_(database), clock_(*clock), config_(config) {}

void ServiceLog::Append(LogRow row) { Add(std::move(row), 0); }

void ServiceLog::CountDropped(const LogRow& row, uint64_t dropped) {
  if (dropped > 0) Add(row, dropped);
}

void ServiceLog::Add(LogRow row, uint64_t dropped) {
  MakeReadable(&row);
  const absl::Time now = clock_.Now();
  row.at = now;
  const absl::MutexLock lock(&mutex_);
  const auto found = budgets_.find(row.source);
  if (found == budgets_.end() && budgets_.size() >= kMaxBudgets) return;
  SourceBudget& budget = budgets_[row.source];
  // A budget with a number is renewed by TakeRows(), which writes it.
  const bool is_new =
      now - budget.minute >= kBudgetPeriod || now < budget.minute;
  if (is_new && budget.dropped == 0) budget = {.minute = now};
  if (dropped > 0) {
    budget.dropped += dropped;
    budget.last = std::move(row);
    return;
  }
  if (budget.entries >= kMaxLogEntriesPerMinute ||
      rows_.size() >= kMaxWaitingRows) {
    ++budget.dropped;
    budget.last = std::move(row);
    return;
  }
  ++budget.entries;
  rows_.push_back(std::move(row));
}

std::vector<LogRow> ServiceLog::TakeRows() {
  const absl::Time now = clock_.Now();
  const absl::MutexLock lock(&mutex_);
  std::vector<LogRow> rows = std::exchange(rows_, {});
  for (auto place = budgets_.begin(); place != budgets_.end();) {
    SourceBudget& budget = place->second;
    if (now - budget.minute < kBudgetPeriod && now >= budget.minute) {
      ++place;
      continue;
    }
    if (budget.dropped > 0) {
      LogRow row = std::move(budget.last);
      row.at = now;
      if (row.severity != v1::LOG_SEVERITY_INFO) {
        row.severity = v1::LOG_SEVERITY_WARNING;
      }
      // These are not of one job or request.
      row.job_id.clear();
      row.slurm_job_id = 0;
      row.request_id.clear();
      row.message = FormatMessage(logs_messages::kEntriesDropped,
                                  {{"count", budget.dropped}});
      rows.push_back(std::move(row));
    }
    place = budgets_.erase(place);
  }
  return rows;
}

absl::Status ServiceLog::Flush() {
  const std::vector<LogRow> rows = TakeRows();
  const absl::Time now = clock_.Now();
  bool expires = false;
  {
    const absl::MutexLock lock(&mutex_);
    expires = now >= next_expiry_ || next_expiry_ - now > kBetweenExpiries;
    if (expires) next_expiry_ = now + kBetweenExpiries;
  }
  if (rows.empty() && !expires) return absl::OkStatus();
  return database_->Transact([&](Database& db) -> absl::Status {
    std::set<std::string> sources;
    for (const LogRow& row : rows) {
      RETURN_IF_ERROR(InsertLogRow(db, row));
      sources.insert(row.source);
    }
    for (const std::string& source : sources) {
      RETURN_IF_ERROR(TrimLogSource(db, source, config_.max_entries_of_source));
    }
    if (expires) {
      RETURN_IF_ERROR(DeleteLogRowsBefore(
          db, now - absl::Hours(24) * config_.retention_days));
    }
    return TrimLog(db, config_.max_entries);
  });
}

absl::StatusOr<std::vector<LogRow>> ServiceLog::Read(const LogQuery& query,
                                                     int64_t before,
                                                     int max) const {
  std::vector<LogRow> rows;
  RETURN_IF_ERROR(database_->Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(rows, ReadLogRows(db, query, before, max));
    return absl::OkStatus();
  }));
  return rows;
}

}  // namespace carme::backend
