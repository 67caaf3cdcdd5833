// When each stream has heard what of which job.
#ifndef CARME_TESTS_BENCH_SUPPORT_STREAM_ARRIVALS_H_
#define CARME_TESTS_BENCH_SUPPORT_STREAM_ARRIVALS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace carme {

namespace v1 {
class Job;
class WatchJobsResponse;
}  // namespace v1

// In the order in which a job comes to them.
enum class Stage {
  kInSlurm,   // Slurm has it
  kReported,  // its agent has said something; fanout_agent's words
  kChanged,   // its walltime is another one than at first
  kEnded,
};

// Thread-safe.
class StreamArrivals {
 public:
  // A message of a stream.
  void Take(size_t stream, const v1::WatchJobsResponse& message,
            absl::Time arrived);
  // When each of so many streams heard first that the job is at this stage.
  // Blocks; ends the process after two minutes.
  std::vector<absl::Time> Await(const std::string& job, Stage stage,
                                size_t streams);
  // From what fanout_agent said to each arrival of it, since Clear.
  std::vector<double> ReportsMs();
  void Clear();

 private:
  void TakeJob(size_t stream, const v1::Job& job, absl::Time arrived)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  using Streams = std::map<size_t, absl::Time>;
  absl::Mutex mutex_;
  std::map<std::string, int64_t> walltimes_s_
      ABSL_GUARDED_BY(mutex_);  // by job: the first
  std::map<std::pair<std::string, Stage>, Streams> first_
      ABSL_GUARDED_BY(mutex_);
  // Job, when it was said, stream: what was counted.
  std::set<std::tuple<std::string, int64_t, size_t>> reports_
      ABSL_GUARDED_BY(mutex_);
  std::vector<double> reports_ms_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme

#endif  // CARME_TESTS_BENCH_SUPPORT_STREAM_ARRIVALS_H_
