// The audit log: append-only, chained (chain.h), one writer. Every operation of
// a person or machine, allowed or refused, is recorded once.
//
//   RETURN_IF_ERROR(audit.Ready());            // before an operation
//   … the operation …
//   audit.Record({.act = "cancel", .actor = …, .decision = …, .result = …});
//
// Entries are written with the next transaction on the same database (Rider),
// so an entry that is recorded in the body of a transaction needs no sync of
// its own.
//
// No loss, refuse when in doubt: an entry that cannot be written stays in
// memory, and until it is written Ready fails, so that no operation happens
// that could not be recorded. If entries are dropped, the chain contains their
// number.
#ifndef CARME_BACKEND_AUDIT_AUDIT_LOG_H_
#define CARME_BACKEND_AUDIT_AUDIT_LOG_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
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
#include "common/concurrency/background_thread.h"

namespace carme::backend {

// Thread-safe, also in the body of a transaction. Invariants:
// 1. Entries are in the table in the order in which they were recorded.
// 2. Each entry is a line of the log ("audit …") before it is in the table, so
//    that two copies exist in two places.
// 3. There is no other writer, except carmectl for the entry about an archive.
//    Other rows added or missing at the end of the table stop operations.
// 4. The head of the chain is logged at start, at the end, and every hour, so
// that
//    entries deleted from the end of the table are noticed.
class AuditLog : private Rider {
 public:
  using Ticket = uint64_t;  // grows with each entry; 0 was always written

  // The number of waiting entries at which Ready fails and refusals are only
  // counted, and the reserve for operations that must not be refused (logout).
  static constexpr size_t kMaxWaiting = 4096;
  static constexpr size_t kReserve = 4096;

  // Reads the head and starts the writer. Both must outlive the object.
  static absl::StatusOr<std::unique_ptr<AuditLog>> Open(Database* database,
                                                        const Clock* clock);
  // Tries once to write the remaining entries.
  ~AuditLog() override;
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;

  // Whether an operation may start: UNAVAILABLE while the disk fails or too
  // many entries wait. Call it before operations, but not before refusals and
  // operations that release something (logout, stopping a job): their entry is
  // in the journal at once and in the table when the disk works again. Does not
  // block.
  absl::Status Ready();

  // Does not wait for the disk: the entry is written within a tenth of a
  // second. Equal refusals and harmless operations within a minute become one
  // entry with a count (event_folder.h), so that a flood fills neither disk nor
  // queue.
  Ticket Record(const AuditEvent& event);

  // Waits until the entry is on the disk. UNAVAILABLE: not within ten seconds;
  // the announced operation must not be done. The entry is still written when
  // the disk works again. REQUIRES: not in the body of a transaction.
  absl::Status Wait(Ticket ticket);
  absl::Status RecordNow(const AuditEvent& event) {
    return Wait(Record(event));
  }

  // The head of the chain on the disk.
  ChainHead Head();

  struct Health {
    absl::Status status{};  // of the newest write
    size_t waiting = 0;     // entries that are not on the disk yet
    ChainHead head{};
  };
  Health health();

  // Recorded events by act and decision since the start. Acts beyond the first
  // 200 are counted as "other".
  std::map<std::pair<std::string, AuditDecision>, uint64_t> Counts();

 private:
  AuditLog(Database* database, const Clock* clock, ChainHead head);
  void Count(const AuditEvent& harmless) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Ticket Put(const AuditEvent& harmless) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Queue(AuditEvent event, absl::Time now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Unfold(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Duration WriteNext();
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
  std::map<std::pair<std::string, AuditDecision>, uint64_t> counts_
      ABSL_GUARDED_BY(mutex_);
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
  int hurried_ ABSL_GUARDED_BY(mutex_) = 0;  // callers that wait in Wait
  // The destructor runs: the thread does not wait for more entries.
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Time next_head_;     // used by the thread only
  BackgroundThread thread_;  // last: uses the other members
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_AUDIT_AUDIT_LOG_H_
