#include "backend/identity/login/failure_table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backend/store/row_mapper.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// With more changes the whole table is rewritten.
constexpr size_t kMaxChanges = 4 * FailureTable::kMaxRows;
constexpr int64_t kMaxDoublings = 20;

const RowMapper<StoredFailure>& FailureColumns() {
  using Row = FailureTable::Row;
  static const auto* const columns = new RowMapper<StoredFailure>({
      {"kind", &StoredFailure::kind},
      {"key", &StoredFailure::key},
      {"failures", Member(&StoredFailure::row, &Row::failures)},
      {"last", Member(&StoredFailure::row, &Row::last)},
      {"opens_at", Member(&StoredFailure::row, &Row::opens_at)},
  });
  return *columns;
}

absl::Status WriteRow(Database& db, const std::string& kind,
                      const FailureTable::Change& change) {
  if (change.deleted) {
    ASSIGN_OR_RETURN(Statement erase,
                     db.Prepare("DELETE FROM failures WHERE kind=?1 AND "
                                "key=?2"));
    return erase.Bind(1, kind).Bind(2, change.key).Run();
  }
  const RowMapper<StoredFailure>& columns = FailureColumns();
  ASSIGN_OR_RETURN(Statement write,
                   db.Prepare(absl::StrCat("INSERT OR REPLACE INTO failures (",
                                           columns.list(), ") VALUES (",
                                           columns.parameters(), ")")));
  columns.Bind(write, {.kind = kind, .key = change.key, .row = change.row});
  return write.Run();
}

absl::Status WriteKind(Database& db, const FailureTable::Changes& changes) {
  if (changes.all) {
    ASSIGN_OR_RETURN(Statement erase,
                     db.Prepare("DELETE FROM failures WHERE kind=?1"));
    RETURN_IF_ERROR(erase.Bind(1, changes.kind).Run());
  }
  for (const FailureTable::Change& change : changes.changes) {
    RETURN_IF_ERROR(WriteRow(db, changes.kind, change));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Duration FailureTable::Wait(const std::string& key,
                                  absl::Time now) const {
  const auto found = rows_.find(key);
  return found == rows_.end() ? absl::ZeroDuration()
                              : found->second.opens_at - now;
}

int64_t FailureTable::Failures(const std::string& key, absl::Time now) const {
  return Contains(key, now) ? rows_.at(key).failures : 0;
}

bool FailureTable::Contains(const std::string& key, absl::Time now) const {
  const auto found = rows_.find(key);
  return found != rows_.end() && now < found->second.last + rules_.memory;
}

void FailureTable::Add(const std::string& key, absl::Time now) {
  if (!rows_.contains(key)) EvictOldest(now);
  Row& row = rows_[key];
  if (row.last + rules_.memory <= now) row.failures = 0;
  row.last = now;
  ++row.failures;
  RecordChange(key);
  if (row.failures < rules_.free) return;
  const int64_t doublings = std::min(row.failures - rules_.free, kMaxDoublings);
  row.opens_at =
      now + std::min(rules_.first * (int64_t{1} << doublings), rules_.max_wait);
}

void FailureTable::Undo(const std::string& key) {
  const auto found = rows_.find(key);
  if (found == rows_.end()) return;
  found->second.opens_at = absl::InfinitePast();
  if (--found->second.failures <= 0) rows_.erase(found);
  RecordChange(key);
}

void FailureTable::Record(const std::string& key, absl::Time now) {
  if (!rows_.contains(key)) EvictOldest(now);
  rows_[key] = {.last = now};
  RecordChange(key);
}

void FailureTable::Erase(const std::string& key) {
  if (rows_.erase(key) == 1) RecordChange(key);
}

void FailureTable::Restore(const std::string& key, const Row& row) {
  if (rows_.size() < rules_.max_rows) rows_[key] = row;
}

void FailureTable::RetainNewest(const std::string& prefix, size_t max) {
  std::vector<std::pair<absl::Time, std::string>> found;
  for (const auto& [key, row] : rows_) {
    if (absl::StartsWith(key, prefix)) found.emplace_back(row.last, key);
  }
  if (found.size() <= max) return;
  std::sort(found.begin(), found.end());
  found.resize(found.size() - max);
  for (const auto& [last, key] : found) Erase(key);
}

FailureTable::Changes FailureTable::DrainChanges() {
  Changes drained{.kind = rules_.kind, .all = all_changed_};
  if (all_changed_) {
    for (const auto& [key, row] : rows_)
      drained.changes.push_back({key, false, row});
  } else {
    for (const std::string& key : changed_) {
      const auto found = rows_.find(key);
      const bool deleted = found == rows_.end();
      drained.changes.push_back(
          {key, deleted, deleted ? Row() : found->second});
    }
  }
  changed_.clear();
  all_changed_ = false;
  return drained;
}

void FailureTable::RestoreChanges(const Changes& changes) {
  all_changed_ = all_changed_ || changes.all;
  for (const Change& change : changes.changes) RecordChange(change.key);
}

void FailureTable::EvictOldest(absl::Time now) {
  if (rows_.size() < rules_.max_rows) return;
  const auto is_expired = [&](const auto& row) {
    const bool expired = row.second.last + rules_.memory <= now;
    if (expired) RecordChange(row.first);
    return expired;
  };
  absl::erase_if(rows_, is_expired);
  if (rows_.size() < rules_.max_rows) return;
  const auto oldest = std::min_element(
      rows_.begin(), rows_.end(), [&](const auto& a, const auto& b) {
        const bool a_locked = a.second.opens_at > now;
        const bool b_locked = b.second.opens_at > now;
        return a_locked == b_locked ? a.second.last < b.second.last : b_locked;
      });
  RecordChange(oldest->first);
  rows_.erase(oldest);
}

void FailureTable::RecordChange(const std::string& key) {
  if (all_changed_) return;
  changed_.insert(key);
  if (changed_.size() < kMaxChanges) return;
  changed_.clear();
  all_changed_ = true;
}

absl::Status ReadFailures(
    Database& db, absl::FunctionRef<void(const StoredFailure&)> restore) {
  ASSIGN_OR_RETURN(Statement rows, db.Prepare(absl::StrCat(
                                       "SELECT ", FailureColumns().list(),
                                       " FROM failures ORDER BY last DESC")));
  while (true) {
    ASSIGN_OR_RETURN(const bool found, rows.Step());
    if (!found) return absl::OkStatus();
    ASSIGN_OR_RETURN(const StoredFailure row, FailureColumns().Read(rows));
    restore(row);
  }
}

absl::Status WriteFailures(Database* database,
                           const std::vector<FailureTable::Changes>& changes) {
  const bool nothing = std::all_of(
      changes.begin(), changes.end(),
      [](const auto& kind) { return !kind.all && kind.changes.empty(); });
  if (nothing) return absl::OkStatus();
  return database->Transact([&](Database& db) -> absl::Status {
    for (const FailureTable::Changes& kind : changes) {
      RETURN_IF_ERROR(WriteKind(db, kind));
    }
    return absl::OkStatus();
  });
}

}  // namespace carme::backend
