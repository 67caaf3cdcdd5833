#include "backend/audit/audit_log.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/audit/audit_table.h"
#include "backend/policy/printable.h"
#include "common/encoding.h"
#include "common/log.h"
#include "common/status.h"

namespace carme {
namespace {

// Entries of one transaction, and how long it waits for them to gather: a sync
// of the disk for each would slow down those who need theirs.
constexpr size_t kBatch = 512;
constexpr absl::Duration kGather = absl::Milliseconds(100);
constexpr absl::Duration kRetryAfter = absl::Seconds(1);
constexpr absl::Duration kLongestWait = absl::Seconds(10);
// How often it is looked whether a minute or an hour is over.
constexpr absl::Duration kLook = absl::Seconds(1);
constexpr absl::Duration kIdleLook = absl::Minutes(1);
constexpr absl::Duration kHeadEvery = absl::Hours(1);

// An event that may stand in a table, a page, a terminal: at most 900 bytes.
AuditEvent Harmless(const AuditEvent& event) {
  return {.act = Readable(event.act, 48),
          .actor = Readable(event.actor, 64),
          .actor_uid = event.actor_uid,
          .subject = Readable(event.subject, 128),
          .decision = event.decision,
          .result = Readable(event.result, 320),
          .source = Readable(event.source, 64),
          .machine = Readable(event.machine, 128),
          .request_id = Readable(event.request_id, 64),
          .session_id = Readable(event.session_id, 64)};
}

const char* TextOf(AuditDecision decision) {
  return decision == AuditDecision::kAllow ? "allow" : "refuse";
}

void WriteLine(const AuditEvent& event) {
  LogAudit(event.act, {{"request", event.request_id},
                       {"user", event.actor},
                       {"subject", event.subject},
                       {"decision", TextOf(event.decision)},
                       {"result", event.result},
                       {"client", event.source},
                       {"machine", event.machine},
                       {"session", event.session_id}});
}

AuditEntry EntryOf(const AuditEvent& event, absl::Time at) {
  return {.at = absl::ToUnixMicros(at),
          .act = event.act,
          .actor = event.actor,
          .actor_uid = event.actor_uid.value(),
          .subject = event.subject,
          .decision = TextOf(event.decision),
          .result = event.result,
          .source = event.source,
          .machine = event.machine,
          .request_id = event.request_id,
          .session_id = event.session_id};
}

}  // namespace

absl::StatusOr<std::unique_ptr<AuditLog>> AuditLog::Open(Database* database,
                                                         const Clock* clock) {
  ASSIGN_OR_RETURN(ChainHead head, ReadHead(database));
  std::unique_ptr<AuditLog> log(new AuditLog(database, clock, std::move(head)));
  absl::MutexLock lock(&log->mutex_);
  log->LogHead("start");
  return log;
}

AuditLog::AuditLog(Database* database, const Clock* clock, ChainHead head)
    : database_(database),
      clock_(clock),
      head_(std::move(head)),
      thread_([this] { Run(); }) {}

AuditLog::~AuditLog() {
  {
    absl::MutexLock lock(&mutex_);
    stop_ = true;
  }
  thread_.join();
}

absl::Status AuditLog::Ready() {
  absl::MutexLock lock(&mutex_);
  if (last_.ok() && queue_.size() < kMostWaiting) return absl::OkStatus();
  return absl::UnavailableError(
      "this cannot be recorded in the audit log now: try again");
}

AuditLog::Ticket AuditLog::Put(const AuditEvent& event) {
  const AuditEvent harmless = Harmless(event);
  const absl::Time now = clock_->Now();
  const bool room = queue_.size() < kMostWaiting + kReserve;
  if (!room) {
    folder_.Count(harmless, now);
    if (harmless.decision == AuditDecision::kAllow) WriteLine(harmless);
    return newest_;
  }
  std::optional<AuditEvent> whole = folder_.Take(harmless, now);
  if (whole) Queue(*std::move(whole), now);
  return newest_;
}

void AuditLog::Queue(AuditEvent event, absl::Time now) {
  WriteLine(event);
  queue_.push_back(EntryOf(event, now));
  ++newest_;
}

void AuditLog::Record(const AuditEvent& event) {
  absl::MutexLock lock(&mutex_);
  Put(event);
}

absl::Status AuditLog::RecordNow(const AuditEvent& event) {
  absl::MutexLock lock(&mutex_);
  const Ticket ticket = Put(event);
  // A write that is under way may not have it: the next one has.
  const auto tried = [&] { return tried_ >= ticket; };
  ++hurried_;
  const bool in_time =
      mutex_.AwaitWithTimeout(absl::Condition(&tried), kLongestWait);
  --hurried_;
  if (in_time && written_ >= ticket) return absl::OkStatus();
  return absl::UnavailableError(
      "this cannot be recorded in the audit log now: try again");
}

ChainHead AuditLog::Head() {
  absl::MutexLock lock(&mutex_);
  return head_;
}

void AuditLog::Run() {
  absl::MutexLock lock(&mutex_);
  absl::Time next_head = clock_->Now() + kHeadEvery;
  const auto wanted = [this] { return stop_ || !queue_.empty(); };
  const auto enough = [this] {
    return stop_ || hurried_ > 0 || queue_.size() >= kBatch;
  };
  while (true) {
    mutex_.AwaitWithTimeout(absl::Condition(&wanted),
                            folder_.empty() ? kIdleLook : kLook);
    if (!queue_.empty()) {
      mutex_.AwaitWithTimeout(absl::Condition(&enough), kGather);
    }
    // Asked once: the end may come while it is written, and what is counted
    // then must still be unfolded.
    const bool ending = stop_;
    Unfold(ending ? absl::InfiniteFuture() : clock_->Now());
    if (!queue_.empty()) WriteOnce();
    if (ending && (queue_.empty() || !last_.ok())) break;
    if (!last_.ok()) {
      mutex_.AwaitWithTimeout(absl::Condition(&stop_), kRetryAfter);
    }
    if (clock_->Now() >= next_head) {
      LogHead("hour");
      next_head = clock_->Now() + kHeadEvery;
    }
  }
  LogHead("stop");
}

void AuditLog::Unfold(absl::Time now) {
  if (queue_.size() >= kMostWaiting + kReserve) return;
  for (AuditEvent& event : folder_.Ended(now)) {
    Queue(std::move(event), clock_->Now());
  }
}

void AuditLog::WriteOnce() {
  const size_t count = std::min(queue_.size(), kBatch);
  std::vector<AuditEntry> batch(queue_.begin(), queue_.begin() + count);
  ChainHead head = head_;
  const Ticket upto = newest_ - queue_.size() + count;
  mutex_.Unlock();
  for (AuditEntry& entry : batch) {
    entry.sequence = ++head.sequence;
    entry.hash = head.hash = ChainHash(head.hash, entry);
  }
  const absl::Status status = AppendEntries(database_, batch);
  mutex_.Lock();
  tried_ = upto;
  if (status.ok()) {
    queue_.erase(queue_.begin(), queue_.begin() + count);
    written_ = upto;
    head_ = std::move(head);
  }
  if (status.ok() != last_.ok()) {
    if (status.ok()) {
      LogWarning("the audit log is written again");
    } else {
      LogError("the audit log cannot be written: acts are refused",
               {{"error", status.ToString()}});
    }
  }
  last_ = status;
}

void AuditLog::LogHead(const char* when) {
  LogAudit("audit-head", {{"when", when},
                          {"sequence", head_.sequence},
                          {"hash", HexEncode(head_.hash)},
                          {"waiting", queue_.size()}});
}

}  // namespace carme
