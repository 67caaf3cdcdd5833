// Counts failures by key, bounded in number and time, and computes the lock-out
// that follows from them.
#ifndef CARME_BACKEND_IDENTITY_LOGIN_FAILURE_TABLE_H_
#define CARME_BACKEND_IDENTITY_LOGIN_FAILURE_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "backend/store/database.h"

namespace carme::backend {

// Not thread-safe. Changes are recorded and written when the owner asks for
// them, so that no login waits for the disk. A table holds at most max_rows, in
// memory and on the disk; when it is full, the oldest rows are evicted,
// unlocked ones first.
class FailureTable {
 public:
  static constexpr size_t kMaxRows = 8192;

  struct Rules {
    std::string kind;         // of the rows in the table `failures`
    int free;                 // this failure causes the first lock-out
    absl::Duration max_wait;  // the lock-out doubles up to this
    absl::Duration memory;  // failures expire after this time without a new one
    absl::Duration first = absl::Seconds(1);  // the first lock-out
    size_t max_rows = kMaxRows;
  };
  struct Row {
    int64_t failures = 0;
    absl::Time last = absl::InfinitePast();
    absl::Time opens_at = absl::InfinitePast();
  };
  // Unwritten changes of one kind.
  struct Change {
    std::string key;
    bool deleted = false;
    Row row = {};
  };
  struct Changes {
    std::string kind;
    bool all = false;  // the changes are the complete table
    std::vector<Change> changes = {};
  };

  explicit FailureTable(Rules rules) : rules_(std::move(rules)) {}

  const std::string& kind() const { return rules_.kind; }
  // Time until the next attempt is allowed; zero or less: now.
  absl::Duration Wait(const std::string& key, absl::Time now) const;
  // Failures that have not expired.
  int64_t Failures(const std::string& key, absl::Time now) const;
  // Whether a row exists that has not expired.
  bool Contains(const std::string& key, absl::Time now) const;
  void Add(const std::string& key, absl::Time now);
  // Uncounts one failure and its lock-out.
  void Undo(const std::string& key);
  // Adds or updates a row without a failure, dated `now`.
  void Record(const std::string& key, absl::Time now);
  void Erase(const std::string& key);
  // Deletes all but the newest `max` rows with the key prefix. Walks all rows.
  void RetainNewest(const std::string& prefix, size_t max);

  // Adds a row from the disk, without recording a change.
  void Restore(const std::string& key, const Row& row);
  Changes DrainChanges();
  // Restores changes that could not be written.
  void RestoreChanges(const Changes& changes);

 private:
  void EvictOldest(absl::Time now);
  void RecordChange(const std::string& key);

  const Rules rules_;
  absl::flat_hash_map<std::string, Row> rows_;
  absl::flat_hash_set<std::string> changed_;
  bool all_changed_ = false;
};

// A row of the table `failures`.
struct StoredFailure {
  std::string kind = {};
  std::string key = {};
  FailureTable::Row row = {};
};
// Calls `restore` for each row, the newest first.
absl::Status ReadFailures(
    Database& db, absl::FunctionRef<void(const StoredFailure&)> restore);
// Writes all changes in one transaction.
absl::Status WriteFailures(Database* database,
                           const std::vector<FailureTable::Changes>& changes);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LOGIN_FAILURE_TABLE_H_
