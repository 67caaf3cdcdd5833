#include "backend/slurm/poll/async_slurm_query.h"

#include <ctime>
#include <thread>
#include <utility>

#include "absl/synchronization/mutex.h"
#include "common/status.h"

namespace carme::backend {
namespace {

absl::Duration ThreadCpuTime() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return absl::DurationFromTimespec(used);
}

SlurmQueryResult RunQuery(SlurmQuery& query,
                          const std::vector<SlurmJobId>& jobs,
                          const PollScope& scope) {
  if (jobs.empty()) {
    RETURN_IF_ERROR(query.Refresh(scope));
    return query.facts();
  }
  SlurmFacts facts;
  ASSIGN_OR_RETURN(facts.jobs, query.RefreshJob(jobs, scope.state_suffices));
  facts.refreshed_jobs = jobs;
  return facts;
}

}  // namespace

struct AsyncSlurmQuery::State {
  explicit State(const SlurmConfig& config) : query(config) {}

  SlurmQuery query;  // used by the thread only
  absl::Mutex mutex;
  bool asked ABSL_GUARDED_BY(mutex) = false;            // and not finished
  std::vector<SlurmJobId> jobs ABSL_GUARDED_BY(mutex);  // empty: everything
  PollScope scope ABSL_GUARDED_BY(mutex);
  std::set<SlurmJobId> tracked ABSL_GUARDED_BY(mutex);
  bool tracked_changed ABSL_GUARDED_BY(mutex) =
      false;  // not yet passed to `query`
  bool stopped ABSL_GUARDED_BY(mutex) = false;
  std::optional<SlurmQueryResult> answer ABSL_GUARDED_BY(mutex);
  absl::Duration cost ABSL_GUARDED_BY(mutex);  // of the last query

  bool HasWork() ABSL_SHARED_LOCKS_REQUIRED(mutex) { return asked || stopped; }
  bool HasAnswer() ABSL_SHARED_LOCKS_REQUIRED(mutex) {
    return answer.has_value();
  }
};

AsyncSlurmQuery::AsyncSlurmQuery(const SlurmConfig& config)
    : state_(std::make_shared<State>(config)) {
  std::thread(Serve, state_).detach();
}

AsyncSlurmQuery::~AsyncSlurmQuery() {
  absl::MutexLock lock(&state_->mutex);
  state_->stopped = true;
}

void AsyncSlurmQuery::Start(std::vector<SlurmJobId> jobs, PollScope scope) {
  absl::MutexLock lock(&state_->mutex);
  // A late result must be taken first. Otherwise each later query would return
  // the result of the previous one.
  if (state_->asked || state_->answer.has_value()) return;
  state_->asked = true;
  state_->jobs = std::move(jobs);
  state_->scope = std::move(scope);
}

void AsyncSlurmQuery::Track(SlurmJobId job) {
  absl::MutexLock lock(&state_->mutex);
  if (state_->tracked.insert(job).second) state_->tracked_changed = true;
}

void AsyncSlurmQuery::TrackOnly(std::set<SlurmJobId> jobs) {
  absl::MutexLock lock(&state_->mutex);
  if (state_->tracked == jobs) return;
  state_->tracked = std::move(jobs);
  state_->tracked_changed = true;
}

std::optional<SlurmQueryResult> AsyncSlurmQuery::Wait(absl::Duration timeout) {
  absl::MutexLock lock(&state_->mutex);
  state_->mutex.AwaitWithTimeout(
      absl::Condition(state_.get(), &State::HasAnswer), timeout);
  return std::exchange(state_->answer, std::nullopt);
}

absl::Duration AsyncSlurmQuery::Cost() const {
  absl::MutexLock lock(&state_->mutex);
  return state_->cost;
}

void AsyncSlurmQuery::Serve(std::shared_ptr<State> state) {
  while (true) {
    std::vector<SlurmJobId> jobs;
    PollScope scope;
    {
      absl::MutexLock lock(&state->mutex);
      state->mutex.Await(absl::Condition(state.get(), &State::HasWork));
      if (state->stopped) return;
      jobs = state->jobs;
      scope = state->scope;
      if (std::exchange(state->tracked_changed, false)) {
        state->query.Track(state->tracked);
      }
    }
    const absl::Duration before = ThreadCpuTime();
    SlurmQueryResult answer = RunQuery(state->query, jobs, scope);
    absl::MutexLock lock(&state->mutex);
    state->asked = false;
    state->answer = std::move(answer);
    state->cost = ThreadCpuTime() - before;
  }
}

}  // namespace carme::backend
