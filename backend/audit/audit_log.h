// The audit log: append-only, chained (chain.h), one writer. Whatever a person
// or a machine does, or is refused, passes through Record once.
//
//   RETURN_IF_ERROR(audit.Ready());            // before an act
//   … the act …
//   audit.Record({.act = "cancel", .actor = …, .decision = …, .result = …});
//
// What is recorded goes along with the next transaction of anybody on the same
// database (Rider), so what announces a durable change costs no sync of its own
// when it is recorded in the body of that change's transaction.
//
// Lose nothing, refuse when in doubt: an entry that the disk does not take
// stays in memory, and while one does, Ready says no, so that no act happens
// that could not be recorded. Nothing is ever dropped without a number in the
// chain that says how many.
#ifndef CARME_BACKEND_AUDIT_AUDIT_LOG_H_
#define CARME_BACKEND_AUDIT_AUDIT_LOG_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/audit/audit_entry.h"
#include "backend/audit/chain.h"
#include "backend/audit/event_folder.h"
#include "backend/store/database.h"
#include "common/clock.h"

namespace carme::backend {

// Thread-safe, in the body of a transaction, too. Invariants:
// 1. Entries are in the table in the order in which they were recorded.
// 2. Each entry is also a line of the log ("audit …") before it is in the
//    table, so there are two copies in two places.
// 3. Nobody else writes, but carmectl the entry that tells of an archive. What
//    else is added or missing at the end of the table stops acts.
// 4. The head of the chain is in the log at start, at the end, and every hour:
//    entries that vanish from the table's end are missed.
class AuditLog : private Rider {
 public:
  using Ticket = uint64_t;  // grows with each entry; 0 was always written

  // How many entries may wait for the disk before Ready says no and refusals
  // are only counted, and how many more before even what must not be refused (a
  // log-out) is.
  static constexpr size_t kMaxWaiting = 4096;
  static constexpr size_t kReserve = 4096;

  // Reads the head, and starts the writer. Both outlive the log.
  static absl::StatusOr<std::unique_ptr<AuditLog>> Open(Database* database,
                                                        const Clock* clock);
  // Writes what is left, once.
  ~AuditLog() override;
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;

  // Whether an act may be done now: UNAVAILABLE while the disk takes no
  // entries, or too many wait for it. Ask before acts, not before refusals,
  // nor before what gives something up (a log-out, the stop of a job): its
  // entry is in the journal at once, and in the table when the disk takes it.
  // Does not block.
  absl::Status Ready();

  // Does not wait for the disk: at most a tenth of a second passes until it is
  // there. Refusals, and harmless acts, that are alike within a minute become
  // one entry with their number (event_folder.h), so a flood of them fills
  // neither disk nor queue.
  Ticket Record(const AuditEvent& event);

  // Waits until it is on the disk. UNAVAILABLE: it is not, or not within ten
  // seconds; then do not do what it announces. It is still written when the
  // disk comes back. REQUIRES: not in the body of a transaction.
  absl::Status Wait(Ticket ticket);
  absl::Status RecordNow(const AuditEvent& event) {
    return Wait(Record(event));
  }

  // Of what is on the disk.
  ChainHead Head();

  struct Health {
    absl::Status status{};  // of the newest write
    size_t waiting = 0;     // entries that are not on the disk yet
    ChainHead head{};
  };
  Health health();

 private:
  AuditLog(Database* database, const Clock* clock, ChainHead head);
  Ticket Put(const AuditEvent& harmless) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Queue(AuditEvent event, absl::Time now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Unfold(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Run();
  void WriteOnce() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Note(Ticket tried, const absl::Status& status)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsWaiting() override;
  absl::Status Board(Database& database) override;
  void Arrive(const absl::Status& status) override;
  absl::Status TakeOver(Database& database, ChainHead* head);
  void LogHead(const char* when) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Database* const database_;
  const Clock* const clock_;
  absl::Mutex mutex_;
  EventFolder folder_ ABSL_GUARDED_BY(mutex_);
  // What is written stays here until it is on the disk. No sequence, no hash.
  std::deque<AuditEntry> queue_ ABSL_GUARDED_BY(mutex_);
  Ticket newest_ ABSL_GUARDED_BY(mutex_) = 0;
  Ticket written_ ABSL_GUARDED_BY(mutex_) = 0;
  Ticket tried_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status last_ ABSL_GUARDED_BY(mutex_);
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;  // the thread is at it
  // The first of the queue, and the head after them, between Board and Arrive.
  size_t riding_ ABSL_GUARDED_BY(mutex_) = 0;
  ChainHead ridden_ ABSL_GUARDED_BY(mutex_);
  ChainHead head_ ABSL_GUARDED_BY(mutex_);
  int hurried_ ABSL_GUARDED_BY(mutex_) = 0;  // who waits in Wait
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_AUDIT_AUDIT_LOG_H_
