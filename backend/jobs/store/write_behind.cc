#include "backend/jobs/store/write_behind.h"

#include <utility>
#include <vector>

#include "backend/jobs/store/messages.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kRetryAfter = absl::Seconds(1);
constexpr absl::Duration kLongestWait = absl::Seconds(10);

}  // namespace

WriteBehind::~WriteBehind() {
  thread_.Stop();
  absl::MutexLock lock(&mutex_);
  while (!queue_.empty()) {
    WriteOnce();
    if (!last_.ok()) break;
  }
}

WriteBehind::Ticket WriteBehind::Put(const Job& job) {
  Ticket ticket = 0;
  {
    absl::MutexLock lock(&mutex_);
    queue_.insert_or_assign(job.id, job);
    ticket = ++newest_;
  }
  thread_.Wake();
  return ticket;
}

bool WriteBehind::Written(Ticket ticket) {
  absl::MutexLock lock(&mutex_);
  return written_ >= ticket;
}

absl::Status WriteBehind::Wait(Ticket ticket) {
  absl::MutexLock lock(&mutex_);
  const auto tried = [&] { return tried_ >= ticket; };
  if (!mutex_.AwaitWithTimeout(absl::Condition(&tried), kLongestWait)) {
    return MakeError(job_store_messages::kDatabaseSilent,
                     {{"seconds", absl::ToInt64Seconds(kLongestWait)}});
  }
  return written_ >= ticket ? absl::OkStatus() : last_;
}

absl::Duration WriteBehind::WriteNext() {
  {
    absl::MutexLock lock(&mutex_);
    if (queue_.empty()) return absl::InfiniteDuration();
    WriteOnce();
    if (last_.ok()) return absl::ZeroDuration();
  }
  thread_.SleepFor(kRetryAfter);  // also if another job changes meanwhile
  return absl::ZeroDuration();
}

void WriteBehind::WriteOnce() {
  std::map<JobId, Job> batch = std::exchange(queue_, {});
  const Ticket upto = newest_;
  std::vector<Job> jobs;
  jobs.reserve(batch.size());
  for (const auto& [id, job] : batch) jobs.push_back(job);
  mutex_.Unlock();
  const absl::Status status = store_->Update(jobs);
  mutex_.Lock();
  if (status.ok()) {
    written_ = upto;
  } else {
    // A job that changed again meanwhile is in the queue and stays there.
    queue_.merge(batch);
    if (last_.ok()) {
      LogError("writing jobs failed", {{"error", StatusText(status)}});
    }
  }
  tried_ = upto;
  last_ = status;
}

}  // namespace carme::backend
