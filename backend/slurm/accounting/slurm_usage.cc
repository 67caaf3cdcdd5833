#include "backend/slurm/accounting/slurm_usage.h"

#include <optional>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "backend/slurm/accounting/slurmdbd_query.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(10);

}  // namespace

struct SlurmdbdUsage::State {
  absl::Mutex mutex;
  bool busy ABSL_GUARDED_BY(mutex) = false;
};

SlurmdbdUsage::SlurmdbdUsage()
    : cluster_(AccountedCluster()), state_(std::make_shared<State>()) {}

SlurmdbdUsage::~SlurmdbdUsage() = default;

absl::StatusOr<std::vector<AccountedRun>> SlurmdbdUsage::RunsOf(
    const std::vector<SlurmJobId>& jobs) {
  using Answer = absl::StatusOr<std::vector<AccountedRun>>;
  if (!IsThere()) return absl::UnavailableError("there is no slurmdbd");
  {
    absl::MutexLock lock(&state_->mutex);
    const bool my_turn = state_->mutex.AwaitWithTimeout(
        absl::Condition(
            +[](bool* busy) { return !*busy; }, &state_->busy),
        kPatience);
    if (!my_turn) {
      return absl::UnavailableError("slurmdbd has not answered for long");
    }
    state_->busy = true;
  }
  const auto answer = std::make_shared<std::optional<Answer>>();
  std::thread([state = state_, answer, cluster = cluster_, jobs] {
    Answer given = AskSlurmdbd(cluster, jobs);
    absl::MutexLock lock(&state->mutex);
    *answer = std::move(given);
    state->busy = false;
  }).detach();
  absl::MutexLock lock(&state_->mutex);
  state_->mutex.AwaitWithTimeout(
      absl::Condition(
          +[](std::optional<Answer>* given) { return given->has_value(); },
          answer.get()),
      kPatience);
  if (!answer->has_value()) {
    return absl::UnavailableError("slurmdbd does not answer in time");
  }
  return *std::move(*answer);
}

}  // namespace carme::backend
