#include "tests/bench/support/stream_arrivals.h"

#include <cstdio>
#include <cstdlib>

#include "absl/strings/numbers.h"
#include "carme/v1/jobs.pb.h"

namespace carme {
namespace {

constexpr absl::Duration kWaitTimeout = absl::Minutes(2);

// By fanout_agent's words; 0: something else.
int64_t SaidAt(const std::string& detail) {
  constexpr char kWords[] = "said at ";
  int64_t micros = 0;
  if (detail.rfind(kWords, 0) != 0 ||
      !absl::SimpleAtoi(detail.substr(sizeof kWords - 1), &micros)) {
    return 0;
  }
  return micros;
}

}  // namespace

void StreamArrivals::Take(size_t stream, const v1::WatchJobsResponse& message,
                          absl::Time arrived) {
  absl::MutexLock lock(&mutex_);
  for (const v1::Job& job : message.jobs()) TakeJob(stream, job, arrived);
}

void StreamArrivals::TakeJob(size_t stream, const v1::Job& job,
                             absl::Time arrived) {
  const auto note = [&](Stage stage) {
    first_[{job.id(), stage}].emplace(stream, arrived);
  };
  if (job.slurm_job_id() != 0) note(Stage::kInSlurm);
  const int64_t walltime_s = job.spec().walltime().seconds();
  if (walltimes_s_.emplace(job.id(), walltime_s).first->second != walltime_s) {
    note(Stage::kChanged);
  }
  if (job.state() == v1::JOB_STATE_ENDED) return note(Stage::kEnded);
  for (const v1::JobApp& app : job.apps()) {
    const int64_t micros = SaidAt(app.detail());
    if (micros == 0) continue;
    note(Stage::kReported);
    if (!reports_.emplace(job.id(), micros, stream).second) continue;
    reports_ms_.push_back(
        absl::ToDoubleMilliseconds(arrived - absl::FromUnixMicros(micros)));
  }
}

std::vector<absl::Time> StreamArrivals::Await(const std::string& job,
                                              Stage stage, size_t streams) {
  absl::MutexLock lock(&mutex_);
  const std::pair<std::string, Stage> key(job, stage);
  const auto all = [&] { return first_[key].size() >= streams; };
  if (!mutex_.AwaitWithTimeout(absl::Condition(&all), kWaitTimeout)) {
    std::fprintf(stderr, "arrivals: job %s, stage %d: %zu of %zu streams\n",
                 job.c_str(), static_cast<int>(stage), first_[key].size(),
                 streams);
    std::_Exit(1);
  }
  std::vector<absl::Time> times;
  for (const auto& [stream, at] : first_[key]) times.push_back(at);
  return times;
}

std::vector<double> StreamArrivals::ReportsMs() {
  absl::MutexLock lock(&mutex_);
  return reports_ms_;
}

void StreamArrivals::Clear() {
  absl::MutexLock lock(&mutex_);
  reports_ms_.clear();
}

}  // namespace carme
