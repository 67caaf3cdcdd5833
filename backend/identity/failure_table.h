// Failures by key, bounded in number and in time, and the pause that follows
// from them.
#ifndef CARME_BACKEND_IDENTITY_FAILURE_TABLE_H_
#define CARME_BACKEND_IDENTITY_FAILURE_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "backend/store/database.h"

namespace carme::backend {

// Not thread-safe. What changes is noted and written when its owner says so:
// no guess waits for the disk, and however many there are, a table holds
// most_rows, in memory and on the disk. When it is full, what is oldest goes,
// of what is not shut if it can.
class FailureTable {
 public:
  static constexpr size_t kMostRows = 8192;

  struct Rules {
    std::string kind;       // its rows' in the table `failures`
    int free;               // the last failure that is let pass at once
    absl::Duration most;    // then a pause, twice it, … up to this
    absl::Duration memory;  // so long without a failure forgets them
    absl::Duration first = absl::Seconds(1);  // the first pause
    size_t most_rows = kMostRows;
  };
  struct Row {
    int64_t failures = 0;
    absl::Time last = absl::InfinitePast();
    absl::Time opens_at = absl::InfinitePast();
  };
  // What the disk must be told of one kind.
  struct Change {
    std::string key;
    bool gone = false;
    Row row = {};
  };
  struct Changes {
    std::string kind;
    bool all = false;  // these are all rows there are
    std::vector<Change> changes = {};
  };

  explicit FailureTable(Rules rules) : rules_(std::move(rules)) {}

  const std::string& kind() const { return rules_.kind; }
  // Until the next try; zero or less: now.
  absl::Duration Wait(const std::string& key, absl::Time now) const;
  // Those that are not forgotten.
  int64_t Failures(const std::string& key, absl::Time now) const;
  // Whether there is a row that is not too old.
  bool Knows(const std::string& key, absl::Time now) const;
  void Add(const std::string& key, absl::Time now);
  // Takes one failure back, and its pause.
  void Undo(const std::string& key);
  // A row without a failure, dated `now`.
  void Touch(const std::string& key, absl::Time now);
  void Erase(const std::string& key);
  // Of the rows whose keys begin so, all but the newest go. Walks all rows.
  void KeepNewest(const std::string& prefix, size_t most);

  // From the disk; is no change.
  void Restore(const std::string& key, const Row& row);
  Changes TakeChanges();
  // They were not written: they will be given again.
  void PutBack(const Changes& changes);

 private:
  void MakeRoom(absl::Time now);
  void Note(const std::string& key);

  const Rules rules_;
  absl::flat_hash_map<std::string, Row> rows_;
  absl::flat_hash_set<std::string> changed_;
  bool all_changed_ = false;
};

// In one transaction for all of them.
absl::Status WriteFailures(Database* database,
                           const std::vector<FailureTable::Changes>& changes);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_FAILURE_TABLE_H_
