// Reads the logs that are followed: on a few threads, for each user one at a
// time, and at a bounded rate, because each read is a process of the
// impersonator. The impersonator refuses more than operations_per_minute reads;
// the limits leave a part of it to GetLog.
#ifndef CARME_BACKEND_RPC_JOB_LOGS_LOG_READS_H_
#define CARME_BACKEND_RPC_JOB_LOGS_LOG_READS_H_

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/identity/session.h"
#include "backend/rpc/server/stream_dispatcher.h"
#include "backend/slurm/submitter.h"
#include "common/concurrency/concurrency_limiter.h"
#include "common/concurrency/rate_limiter.h"
#include "common/concurrency/thread_pool.h"
#include "common/ids.h"

namespace carme::backend {

class Jobs;

// The log that a stream follows, and for whom.
struct FollowedLog {
  Session caller;
  JobId job;
  std::string app = {};  // empty: the log of the job
  std::optional<uint32_t> task = {};
  std::string request_id = {};
};

struct LogReading {
  LogText text;
  bool exists = true;  // false: nothing was written yet, or the log was removed
  // Before the log was read, so that it is complete.
  bool has_job_ended = false;
};

// One read, shared by its stream and a thread of the pool. Thread-safe.
class LogRead {
 public:
  LogRead(FollowedLog log, int64_t offset, StreamDispatcher::Wake wake)
      : log_(std::move(log)), offset_(offset), wake_(std::move(wake)) {}

  const FollowedLog& log() const { return log_; }
  int64_t offset() const { return offset_; }
  // Absent: it has not ended.
  std::optional<absl::StatusOr<LogReading>> result() const;
  // InfiniteFuture: it waits for its turn.
  absl::Time started_at() const;
  void Start();
  void Finish(absl::StatusOr<LogReading> result);
  // The stream is not woken any more.
  void Abandon();

 private:
  const FollowedLog log_;
  const int64_t offset_;
  mutable absl::Mutex mutex_;
  StreamDispatcher::Wake wake_ ABSL_GUARDED_BY(mutex_);
  std::optional<absl::StatusOr<LogReading>> result_ ABSL_GUARDED_BY(mutex_);
  absl::Time started_at_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteFuture();
};

struct LogReadLimits {
  int followers = 128;
  int followers_per_user = 8;
  // Fewer than the impersonator's max_operations: reads of a file system that
  // does not respond must not block submissions.
  int threads = 4;
  // Between two reads in the long run, of all users and of one.
  absl::Duration interval = absl::Milliseconds(100);
  absl::Duration interval_per_user = absl::Milliseconds(500);
  int burst = 20;
  int burst_per_user = 8;
  // A user whose read took longer waits a multiple of that time: homes that do
  // not respond must not use up the threads.
  absl::Duration slow_read = absl::Seconds(1);
};

class LogReads {
 public:
  using Slot = ConcurrencyLimiter<std::string>::Slot;

  // `jobs` must outlive the object.
  LogReads(Jobs* jobs, const LogReadLimits& limits);
  ~LogReads();  // waits for running reads

  // The slot of a stream; it must not outlive the object. RESOURCE_EXHAUSTED.
  // Thread-safe.
  absl::StatusOr<std::unique_ptr<Slot>> Admit(const std::string& user);

  // The following are for the dispatcher's thread only.

  // Reads the log when the limits allow it, after the reads that were requested
  // before; not at all if the caller drops the result before that. Does not
  // block.
  std::shared_ptr<LogRead> Request(const FollowedLog& log, int64_t offset,
                                   StreamDispatcher::Wake wake);
  // Starts the reads that the limits allow now.
  void StartAllowed();

 private:
  static constexpr int kPausePerSlowRead = 4;
  enum class Start { kStarted, kUserMustWait, kAllMustWait };
  Start TryStart(const std::shared_ptr<LogRead>& read);
  // Counts a read of the user if both rates allow it.
  Start CountStart(const std::string& user);
  absl::StatusOr<LogReading> Perform(const LogRead& read);
  // Called by the threads of the pool.
  void NoteDuration(const std::string& user, absl::Duration duration);
  bool IsPaused(const std::string& user);

  Jobs& jobs_;
  const LogReadLimits limits_;
  ConcurrencyLimiter<std::string> followers_;
  std::list<std::weak_ptr<LogRead>> waiting_;
  const RateLimiter rate_;
  const RateLimiter user_rate_;
  int64_t due_ns_ = 0;
  std::map<std::string, int64_t> user_due_ns_;
  ConcurrencyLimiter<std::string> running_;
  absl::Mutex mutex_;
  std::map<std::string, absl::Time> paused_until_ ABSL_GUARDED_BY(mutex_);
  ThreadPool pool_;  // last: uses the other members
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_JOB_LOGS_LOG_READS_H_
