#include "backend/slurm/accounting/slurm_usage.h"

#include <optional>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "backend/slurm/accounting/slurmdbd_query.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kTimeout = absl::Seconds(10);

}  // namespace

struct SlurmdbdUsage::State {
  absl::Mutex mutex;
  bool busy ABSL_GUARDED_BY(mutex) = false;
};

SlurmdbdUsage::SlurmdbdUsage()
    : cluster_(AccountedCluster()), state_(std::make_shared<State>()) {}

SlurmdbdUsage::~SlurmdbdUsage() = default;

absl::StatusOr<std::vector<AccountedRun>> SlurmdbdUsage::LoadRuns(
    const std::vector<SlurmJobId>& jobs) {
  using Answer = absl::StatusOr<std::vector<AccountedRun>>;
  if (!IsConfigured())
    return absl::UnavailableError("slurm.conf names no slurmdbd");
  {
    absl::MutexLock lock(&state_->mutex);
    const bool is_free = state_->mutex.AwaitWithTimeout(
        absl::Condition(
            +[](bool* busy) { return !*busy; }, &state_->busy),
        kTimeout);
    if (!is_free) {
      return absl::UnavailableError("slurmdbd has not responded for some time");
    }
    state_->busy = true;
  }
  const auto answer = std::make_shared<std::optional<Answer>>();
  std::thread([state = state_, answer, cluster = cluster_, jobs] {
    Answer given = QuerySlurmdbd(cluster, jobs);
    absl::MutexLock lock(&state->mutex);
    *answer = std::move(given);
    state->busy = false;
  }).detach();
  absl::MutexLock lock(&state_->mutex);
  state_->mutex.AwaitWithTimeout(
      absl::Condition(
          +[](std::optional<Answer>* given) { return given->has_value(); },
          answer.get()),
      kTimeout);
  if (!answer->has_value()) {
    return absl::UnavailableError("slurmdbd does not respond in time");
  }
  return *std::move(*answer);
}

}  // namespace carme::backend
