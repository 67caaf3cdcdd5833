#include "backend/audit/audit_log.h"

#include <algorithm>
#include <utility>

#include "backend/audit/audit_table.h"
#include "backend/audit/messages.h"
#include "common/encoding.h"
#include "common/log.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// Entries of one transaction, and how long it waits for them to gather: a disk
// sync for each entry would slow down the operations that wait for it.
constexpr size_t kBatch = 512;
constexpr absl::Duration kGather = absl::Milliseconds(100);
constexpr absl::Duration kRetryAfter = absl::Seconds(1);
constexpr absl::Duration kLongestWait = absl::Seconds(10);
// Intervals of the checks whether a minute or an hour has passed.
constexpr absl::Duration kPollInterval = absl::Seconds(1);
constexpr absl::Duration kIdlePollInterval = absl::Minutes(1);
// Maximum number of carmectl's entries since the last write.
constexpr size_t kMaxTakenOver = 16;
constexpr absl::Duration kHeadEvery = absl::Hours(1);
constexpr size_t kMaxCountedActs = 200;

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
      next_head_(clock->Now() + kHeadEvery),
      thread_("audit-log", [this] { return WriteNext(); }) {
  database_->Carry(this);
}

AuditLog::~AuditLog() {
  {
    absl::MutexLock lock(&mutex_);
    stop_ = true;
  }
  thread_.Stop();
  {
    absl::MutexLock lock(&mutex_);
    do {
      Unfold(absl::InfiniteFuture());
      if (!queue_.empty()) WriteOnce();
    } while (!queue_.empty() && last_.ok());
    LogHead("stop");
  }
  database_->Carry(nullptr);
}

absl::Status AuditLog::Ready() {
  absl::MutexLock lock(&mutex_);
  if (last_.ok() && queue_.size() < kMaxWaiting) return absl::OkStatus();
  return MakeError(audit_messages::kNotAvailable);
}

AuditLog::Ticket AuditLog::Put(const AuditEvent& harmless) {
  const absl::Time now = clock_->Now();
  // Only allowed operations use the reserve.
  const bool is_done = harmless.decision == AuditDecision::kAllow;
  const bool was_idle = folder_.empty();
  if (queue_.size() >= kMaxWaiting + (is_done ? kReserve : 0)) {
    folder_.Count(harmless, now);
    if (is_done) WriteLine(harmless);
    return newest_;
  }
  std::optional<AuditEvent> whole = folder_.Take(harmless, now);
  if (whole) {
    Queue(*std::move(whole), now);
    thread_.Wake();
  } else if (was_idle) {
    thread_.Wake();  // to check more often whether the minute has passed
  }
  return newest_;
}

void AuditLog::Queue(AuditEvent event, absl::Time now) {
  WriteLine(event);
  queue_.push_back(EntryOf(event, now));
  ++newest_;
}

AuditLog::Ticket AuditLog::Record(const AuditEvent& event) {
  const AuditEvent harmless = Harmless(event);
  absl::MutexLock lock(&mutex_);
  Count(harmless);
  return Put(harmless);
}

void AuditLog::Count(const AuditEvent& harmless) {
  const auto found = counts_.find({harmless.act, harmless.decision});
  if (found != counts_.end()) {
    ++found->second;
    return;
  }
  const bool is_full = counts_.size() >= kMaxCountedActs;
  ++counts_[{is_full ? "other" : harmless.act, harmless.decision}];
}

std::map<std::pair<std::string, AuditDecision>, uint64_t> AuditLog::Counts() {
  absl::MutexLock lock(&mutex_);
  return counts_;
}

absl::Status AuditLog::Wait(Ticket ticket) {
  absl::MutexLock lock(&mutex_);
  // A running write may not include the entry; the next one does.
  const auto tried = [&] { return tried_ >= ticket; };
  ++hurried_;
  const bool in_time =
      mutex_.AwaitWithTimeout(absl::Condition(&tried), kLongestWait);
  --hurried_;
  if (in_time && written_ >= ticket) return absl::OkStatus();
  return MakeError(audit_messages::kNotAvailable);
}

ChainHead AuditLog::Head() {
  absl::MutexLock lock(&mutex_);
  return head_;
}

AuditLog::Health AuditLog::health() {
  absl::MutexLock lock(&mutex_);
  return {.status = last_, .waiting = queue_.size(), .head = head_};
}

absl::Duration AuditLog::WriteNext() {
  {
    absl::MutexLock lock(&mutex_);
    const auto enough = [this] {
      return stop_ || hurried_ > 0 || queue_.size() >= kBatch;
    };
    if (!queue_.empty()) {
      mutex_.AwaitWithTimeout(absl::Condition(&enough), kGather);
    }
    Unfold(clock_->Now());
    if (!queue_.empty()) WriteOnce();
    if (clock_->Now() >= next_head_) {
      LogHead("hour");
      next_head_ = clock_->Now() + kHeadEvery;
    }
    if (last_.ok()) {
      if (!queue_.empty()) return absl::ZeroDuration();
      return folder_.empty() ? kIdlePollInterval : kPollInterval;
    }
  }
  thread_.SleepFor(kRetryAfter);
  return absl::ZeroDuration();
}

void AuditLog::Unfold(absl::Time now) {
  if (queue_.size() >= kMaxWaiting) return;
  for (AuditEvent& event : folder_.Ended(now)) {
    Queue(std::move(event), clock_->Now());
  }
}

// Writes the queue in a transaction without other changes; Board() does it.
void AuditLog::WriteOnce() {
  const Ticket upto = newest_ - queue_.size() + std::min(queue_.size(), kBatch);
  writing_ = true;
  mutex_.Unlock();
  const absl::Status status =
      database_->Transact([](Database&) { return absl::OkStatus(); });
  mutex_.Lock();
  writing_ = false;
  if (!status.ok()) Note(upto, status);  // it may not have started
}

// Does not delay other transactions while audit writes fail.
bool AuditLog::IsWaiting() {
  absl::MutexLock lock(&mutex_);
  return !queue_.empty() && (last_.ok() || writing_);
}

absl::Status AuditLog::Board(Database& database) {
  std::vector<AuditEntry> batch;
  ChainHead head;
  {
    absl::MutexLock lock(&mutex_);
    riding_ = std::min(queue_.size(), kBatch);
    batch.assign(queue_.begin(), queue_.begin() + riding_);
    head = head_;
  }
  RETURN_IF_ERROR(TakeOver(database, &head));
  for (AuditEntry& entry : batch) {
    entry.sequence = ++head.sequence;
    entry.hash = head.hash = ChainHash(head.hash, entry);
  }
  RETURN_IF_ERROR(AppendEntriesIn(database, batch));
  absl::MutexLock lock(&mutex_);
  ridden_ = std::move(head);
  return absl::OkStatus();
}

// Archiving adds an entry. Accepts up to kMaxTakenOver such entries.
absl::Status AuditLog::TakeOver(Database& database, ChainHead* head) {
  ASSIGN_OR_RETURN(const ChainHead found, ReadHeadIn(database));
  if (found == *head) return absl::OkStatus();
  ASSIGN_OR_RETURN(const AuditPiece added,
                   ReadPieceIn(database, {}, AuditOrder::kOldestFirst,
                               head->sequence, kMaxTakenOver));
  ChainCheck check(*head);
  bool fits = !added.entries.empty();
  for (const AuditEntry& entry : added.entries) {
    fits = fits && entry.act == kArchiveAct && check.Take(entry).ok();
  }
  if (!fits || found != check.head()) {
    return MakeError(audit_messages::kNewestEntryDiffers,
                     {{"found", found.sequence}, {"expected", head->sequence}});
  }
  LogWarning("audit log archived",
             {{"sequence", found.sequence}, {"hash", HexEncode(found.hash)}});
  *head = found;
  return absl::OkStatus();
}

void AuditLog::Arrive(const absl::Status& status) {
  absl::MutexLock lock(&mutex_);
  const Ticket upto = newest_ - queue_.size() + riding_;
  if (status.ok()) {
    queue_.erase(queue_.begin(), queue_.begin() + riding_);
    written_ = upto;
    head_ = std::move(ridden_);
  }
  Note(upto, status);
}

void AuditLog::Note(Ticket tried, const absl::Status& status) {
  tried_ = std::max(tried_, tried);
  if (status.ok() != last_.ok()) {
    if (status.ok()) {
      LogWarning("audit log available again");
    } else {
      LogError("audit log write failed, refusing operations",
               {{"error", StatusText(status)}});
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

}  // namespace carme::backend
