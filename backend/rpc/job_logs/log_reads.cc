#include "backend/rpc/job_logs/log_reads.h"

#include <iterator>
#include <utility>

#include "absl/time/clock.h"
#include "backend/jobs/jobs.h"
#include "backend/rpc/job_logs/messages.h"
#include "common/protobuf/error_details.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr int64_t kPieceBytes = 64 * 1024;
// Beyond this, users whose bucket is full again are forgotten.
constexpr size_t kMaxUsers = 256;

// The errors of Jobs have a reason. Nothing was written yet, or the log was
// removed.
bool IsNothingWritten(const absl::Status& status) {
  return absl::IsNotFound(status) && ErrorReason(status).empty();
}

}  // namespace

std::optional<absl::StatusOr<LogReading>> LogRead::result() const {
  absl::MutexLock lock(&mutex_);
  return result_;
}

absl::Time LogRead::started_at() const {
  absl::MutexLock lock(&mutex_);
  return started_at_;
}

void LogRead::Start() {
  absl::MutexLock lock(&mutex_);
  started_at_ = absl::Now();
}

void LogRead::Finish(absl::StatusOr<LogReading> result) {
  absl::MutexLock lock(&mutex_);
  result_ = std::move(result);
  if (wake_) wake_();
}

void LogRead::Abandon() {
  absl::MutexLock lock(&mutex_);
  wake_ = nullptr;
}

LogReads::LogReads(Jobs* jobs, const LogReadLimits& limits)
    : jobs_(*jobs),
      limits_(limits),
      followers_(limits.followers, limits.followers_per_user),
      rate_(limits.interval, limits.burst),
      user_rate_(limits.interval_per_user, limits.burst_per_user),
      running_(limits.threads, 1),
      pool_(limits.threads, static_cast<size_t>(limits.threads)) {}

LogReads::~LogReads() = default;

absl::StatusOr<std::unique_ptr<LogReads::Slot>> LogReads::Admit(
    const std::string& user) {
  auto slot = std::make_unique<Slot>(followers_.TryAcquire(user));
  switch (slot->limit_reached()) {
    case LimitReached::kTotal:
      return MakeError(rpc_job_log_messages::kTooMany);
    case LimitReached::kKey:
      return MakeError(rpc_job_log_messages::kTooManyOfUser,
                       {{"max", limits_.followers_per_user}});
    case LimitReached::kNone:
      break;
  }
  return slot;
}

std::shared_ptr<LogRead> LogReads::Request(const FollowedLog& log,
                                           int64_t offset,
                                           StreamDispatcher::Wake wake) {
  // At most so many streams wait; others have ended.
  if (waiting_.size() > static_cast<size_t>(limits_.followers)) {
    waiting_.remove_if([](const auto& read) { return read.expired(); });
  }
  auto read = std::make_shared<LogRead>(log, offset, std::move(wake));
  waiting_.push_back(read);
  return read;
}

void LogReads::StartAllowed() {
  for (auto next = waiting_.begin(); next != waiting_.end();) {
    const std::shared_ptr<LogRead> read = next->lock();
    const Start start = read == nullptr ? Start::kStarted : TryStart(read);
    if (start == Start::kAllMustWait) return;
    next = start == Start::kStarted ? waiting_.erase(next) : std::next(next);
  }
}

LogReads::Start LogReads::TryStart(const std::shared_ptr<LogRead>& read) {
  const std::string& user = read->log().caller.username;
  if (IsPaused(user)) return Start::kUserMustWait;
  auto slot = std::make_shared<Slot>(running_.TryAcquire(user));
  if (slot->limit_reached() == LimitReached::kTotal) return Start::kAllMustWait;
  if (!slot->acquired()) return Start::kUserMustWait;
  const Start allowed = CountStart(user);
  if (allowed != Start::kStarted) return allowed;
  const bool added = pool_.Add([this, read, slot = std::move(slot)] {
    const absl::Time start = absl::Now();
    read->Start();
    absl::StatusOr<LogReading> result = Perform(*read);
    NoteDuration(read->log().caller.username, absl::Now() - start);
    slot->Release();
    read->Finish(std::move(result));
  });
  return added ? Start::kStarted : Start::kAllMustWait;
}

void LogReads::NoteDuration(const std::string& user, absl::Duration duration) {
  if (duration < limits_.slow_read) return;
  absl::MutexLock lock(&mutex_);
  const absl::Time now = absl::Now();
  std::erase_if(paused_until_,
                [now](const auto& entry) { return entry.second <= now; });
  paused_until_[user] = now + kPausePerSlowRead * duration;
}

bool LogReads::IsPaused(const std::string& user) {
  absl::MutexLock lock(&mutex_);
  const auto paused = paused_until_.find(user);
  if (paused == paused_until_.end()) return false;
  if (absl::Now() < paused->second) return true;
  paused_until_.erase(paused);
  return false;
}

LogReads::Start LogReads::CountStart(const std::string& user) {
  const int64_t now_ns = absl::ToUnixNanos(absl::Now());
  if (user_due_ns_.size() > kMaxUsers) {
    std::erase_if(user_due_ns_, [now_ns](const auto& entry) {
      return entry.second <= now_ns;
    });
  }
  int64_t user_due_ns = user_due_ns_[user];
  user_rate_.ResetAfterClockChange(&user_due_ns, now_ns);
  if (!user_rate_.Allow(&user_due_ns, now_ns)) return Start::kUserMustWait;
  rate_.ResetAfterClockChange(&due_ns_, now_ns);
  if (!rate_.Allow(&due_ns_, now_ns)) return Start::kAllMustWait;
  user_due_ns_[user] = user_due_ns;
  return Start::kStarted;
}

absl::StatusOr<LogReading> LogReads::Perform(const LogRead& read) {
  const FollowedLog& log = read.log();
  ASSIGN_OR_RETURN(const Job job,
                   jobs_.Get(log.caller, log.job, log.request_id));
  const auto read_at = [&](int64_t offset) {
    return jobs_.ReadLog(log.caller, log.job, log.app, offset, log.request_id,
                         log.task);
  };
  absl::StatusOr<LogText> text = read_at(read.offset());
  // An offset beyond the end is moved to the end: the log was truncated.
  if (text.ok() && text->offset < read.offset()) text = read_at(-kPieceBytes);
  LogReading reading;
  reading.has_job_ended = HasEnded(job);
  reading.exists = !IsNothingWritten(text.status());
  if (!reading.exists) return reading;
  RETURN_IF_ERROR(text.status());
  reading.text = *std::move(text);
  return reading;
}

}  // namespace carme::backend
