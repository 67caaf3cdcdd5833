#include "backend/jobs/last_words.h"

#include <utility>

#include "backend/jobs/advice.h"
#include "backend/jobs/array_life.h"
#include "backend/jobs/last_lines.h"
#include "common/log.h"

namespace carme {
namespace {

constexpr size_t kMostWanted = 256;

}  // namespace

bool HasLastWords(const Job& job) {
  return job.started_at.has_value() && job.spec.companion_of.empty() &&
         (job.end == JobEnd::kFailed || job.end == JobEnd::kOutOfMemory);
}

LastWords::LastWords(LiveJobs* live, JobStore* store, JobFeed* feed,
                     Submitter* submitter)
    : live_(live),
      store_(store),
      feed_(feed),
      submitter_(submitter),
      thread_([this] { Run(); }) {}

LastWords::~LastWords() {
  {
    absl::MutexLock lock(&mutex_);
    stop_ = true;
  }
  thread_.join();
}

void LastWords::Ask(const Job& job) {
  absl::MutexLock lock(&mutex_);
  if (wanted_.size() < kMostWanted) wanted_.push_back(job);
}

void LastWords::Run() {
  absl::MutexLock lock(&mutex_);
  const auto wanted = [this] { return stop_ || !wanted_.empty(); };
  while (true) {
    mutex_.Await(absl::Condition(&wanted));
    if (stop_) return;
    const Job job = std::move(wanted_.front());
    wanted_.pop_front();
    mutex_.Unlock();
    const std::string lines = Read(job);
    if (!lines.empty()) Keep(job, lines);
    mutex_.Lock();
  }
}

// The app's, where it has one: what went wrong is said there.
std::string LastWords::Read(const Job& job) {
  std::string lines;
  for (const std::string& app : {job.spec.app, std::string()}) {
    LogPart part;
    part.job = job.id;
    part.app = app;
    if (IsArray(job)) part.task = FirstFailedTask(*job.array);
    part.offset = -static_cast<int64_t>(kLastLinesBytes);
    part.max_bytes = static_cast<int>(kLastLinesBytes);
    const absl::StatusOr<LogText> log = submitter_->ReadLogAsUser(
        {job.owner, job.owner_uid}, part, NewRequestId());
    if (log.ok()) lines = LastLinesOf(log->text, log->offset > 0);
    if (!log.ok() && !absl::IsNotFound(log.status())) {
      LogWarning("last lines of a job not read",
                 {{"job", job.id.value()}, {"error", log.status().ToString()}});
      return "";
    }
    if (!lines.empty() || app.empty()) break;
  }
  return lines;
}

void LastWords::Keep(const Job& job, const std::string& lines) {
  const auto add = [&](Job* ended) {
    ended->last_lines = lines;
    ended->advice = AdviceFor(*ended, lines);
  };
  if (live_->ChangeEnded(job.id, [&](LiveJob& live) { add(&live.job); })) {
    return;
  }
  // Its end is in the table already, and nobody else writes its row any more.
  absl::StatusOr<Job> stored = store_->Find(job.id);
  if (!stored.ok()) return;
  add(&*stored);
  const absl::Status written = store_->Update({*stored});
  if (!written.ok()) {
    LogWarning("last lines of a job not kept",
               {{"job", job.id.value()}, {"error", written.ToString()}});
    return;
  }
  feed_->Publish(*stored);
}

}  // namespace carme
