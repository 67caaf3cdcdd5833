// Keeps the logs of apps that run from filling their user's home: one that has
// grown beyond a bound keeps its end, also while its app writes on. Between two
// looks a log grows by as much as its app can write; what is written in the
// moment of a cut may be lost.
//
// It looks on a thread of its own, because a home directory may hang.
// Thread-safe.
#ifndef CARME_SLURM_HOOKS_AGENT_LOG_KEEPER_H_
#define CARME_SLURM_HOOKS_AGENT_LOG_KEEPER_H_

#include <sys/types.h>

#include <map>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/unique_fd.h"

namespace carme::agent {

struct LogBounds {
  off_t longest_bytes = 16 << 20;
  off_t kept_bytes = 1 << 20;  // of one that is longer
  absl::Duration period = absl::Seconds(1);
};

class LogKeeper {
 public:
  explicit LogKeeper(LogBounds bounds = {});
  ~LogKeeper();

  // From now on this is the app's log, open for reading and appending.
  void Keep(const std::string& app, UniqueFd log);

 private:
  void Run();

  const LogBounds bounds_;
  absl::Mutex mutex_;
  std::map<std::string, UniqueFd> logs_ ABSL_GUARDED_BY(mutex_);
  bool over_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_LOG_KEEPER_H_
