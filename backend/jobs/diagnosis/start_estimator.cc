#include "backend/jobs/diagnosis/start_estimator.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/jobs/diagnosis/alternative_sizes.h"
#include "backend/jobs/diagnosis/messages.h"
#include "backend/jobs/model/slurm_submission.h"
#include "backend/policy/cluster/shortage.h"
#include "common/ids.h"

namespace carme::backend {
namespace {

constexpr int kThreads = 2;
constexpr int kMaxAsks = 4;  // queries for alternatives per request
constexpr absl::Duration kKeptFor = absl::Seconds(5);
constexpr size_t kMaxKept = 1000;
// A shorter wait is not worth a smaller job.
constexpr absl::Duration kWorthwhile = absl::Minutes(10);

// All that Slurm gets, except the name and the id of the job.
std::string KeyOf(const StartEstimator::Query& query) {
  const JobSpec& spec = query.decision.spec;
  return absl::StrCat(
      query.user.uid.value(), "|", query.decision.account, "|", spec.partition,
      "|", spec.nodes, "|", spec.gpus_per_node, "|", spec.gpu_type, "|",
      spec.cpus_per_node, "|", spec.memory_per_node_mib, "|",
      absl::ToInt64Minutes(spec.walltime), "|", query.asked.cpus_per_node, "|",
      query.asked.memory_per_node_mib, "|", spec.job_template, "|", spec.qos,
      "|", spec.reservation, "|", spec.image, "|", spec.environment, "|",
      absl::StrJoin(query.decision.excluded_nodes, ","));
}

StartEstimateSummary NotKnownYet() {
  StartEstimateSummary late;
  late.problem = MakeText(job_diagnosis_messages::kNotEstimatedYet);
  return late;
}

using Ask = std::function<StartEstimateSummary(const Decision& decision)>;

// At least twice as soon, and by minutes.
bool IsMuchSooner(const StartEstimateSummary& found,
                  const StartEstimateSummary& than, absl::Time now) {
  if (!found.starts_at || !than.starts_at) return false;
  const absl::Duration wait = *than.starts_at - now;
  return *found.starts_at - now < wait / 2 && wait > kWorthwhile;
}

// Among the alternatives that seem free: the nearest that fits now, or the
// nearest that starts much sooner.
void FindAlternative(const StartEstimator::Query& query,
                     const SlurmSnapshot& cluster, const Ask& ask,
                     absl::Time now, StartEstimateSummary* estimate) {
  int asks = 0;
  for (const AlternativeSize& shape :
       AlternativeSizes(query.asked, query.decision.spec)) {
    const Decision decision = query.decide(shape.spec);
    if (!decision.violations.empty() ||
        !Shortage(decision.spec, cluster).empty()) {
      continue;
    }
    if (++asks > kMaxAsks) return;
    const StartEstimateSummary found = ask(decision);
    // The next query would fail too, and each occupies a thread.
    if (!found.problem.empty()) return;
    if (!found.fits_now &&
        (estimate->alternative || !IsMuchSooner(found, *estimate, now))) {
      continue;
    }
    estimate->alternative = decision.spec;
    estimate->alternative_sentence =
        found.now ? MakeText(job_diagnosis_messages::kAlternativeStartsNow,
                             {{"alternative", shape.label}})
        : found.fits_now
            ? MakeText(job_diagnosis_messages::kAlternativeFreeNow,
                       {{"alternative", shape.label}})
            : MakeText(job_diagnosis_messages::kAlternativeStartsIn,
                       {{"alternative", shape.label},
                        {"time", RoughTime(*found.starts_at - now)}});
    if (found.fits_now) return;
  }
}

}  // namespace

StartEstimator::StartEstimator(Submitter* submitter, Scheduler* scheduler,
                               const Clock* clock, absl::Duration timeout)
    : submitter_(submitter),
      scheduler_(scheduler),
      clock_(clock),
      timeout_(timeout) {
  for (int i = 0; i < kThreads; ++i) {
    threads_.emplace_back("start-estimator", [this] { return EstimateNext(); });
  }
}

StartEstimator::~StartEstimator() {
  ending_ = true;
  for (BackgroundThread& thread : threads_) thread.RequestStop();
}

std::optional<StartEstimateSummary> StartEstimator::Estimate(Query query) {
  const std::string key = KeyOf(query);
  absl::MutexLock lock(&mutex_);
  if (std::optional<StartEstimateSummary> kept = FindCached(key)) return kept;
  const auto slot = calls_.TryAcquire(query.user.uid);
  if (!slot.acquired()) return NotKnownYet();
  const std::shared_ptr<Work> work = Enqueue(std::move(query), key);
  const auto settled = [&work] { return work->replaced || work->done; };
  mutex_.AwaitWithTimeout(absl::Condition(&settled), timeout_);
  if (work->done) return work->done;
  if (work->replaced) return std::nullopt;
  return NotKnownYet();
}

std::optional<StartEstimateSummary> StartEstimator::FindCached(
    const std::string& key) {
  const auto found = cache_.find(key);
  if (found == cache_.end() || clock_->Now() - found->second.at > kKeptFor ||
      found->second.version != scheduler_->Snapshot()->version) {
    return std::nullopt;
  }
  return found->second.estimate;
}

std::shared_ptr<StartEstimator::Work> StartEstimator::Enqueue(
    Query query, const std::string& key) {
  const Uid uid = query.user.uid;
  const auto current = current_.find(uid);
  if (current != current_.end() && current->second->key == key) {
    return current->second;
  }
  const auto waiting = std::find_if(
      queue_.begin(), queue_.end(),
      [&](const auto& work) { return work->query.user.uid == uid; });
  if (waiting != queue_.end() && (*waiting)->key == key) return *waiting;
  auto work = std::make_shared<Work>();
  work->query = std::move(query);
  work->key = key;
  if (waiting != queue_.end()) {
    // Replaces the old request in its position, so that a user who edits the
    // form does not lose their place.
    (*waiting)->replaced = true;
    *waiting = work;
  } else {
    queue_.push_back(work);
  }
  for (BackgroundThread& thread : threads_) thread.Wake();
  return work;
}

std::shared_ptr<StartEstimator::Work> StartEstimator::TakeNext() {
  const auto next =
      std::find_if(queue_.begin(), queue_.end(), [this](const auto& work) {
        return !current_.contains(work->query.user.uid);
      });
  if (next == queue_.end()) return nullptr;
  const std::shared_ptr<Work> work = *next;
  queue_.erase(next);
  current_[work->query.user.uid] = work;
  return work;
}

absl::Duration StartEstimator::EstimateNext() {
  std::shared_ptr<Work> work;
  {
    absl::MutexLock lock(&mutex_);
    work = TakeNext();
    if (work == nullptr) return absl::InfiniteDuration();
  }
  const uint64_t version = scheduler_->Snapshot()->version;
  StartEstimateSummary estimate = ComputeEstimate(work->query);
  absl::MutexLock lock(&mutex_);
  if (estimate.problem.empty()) Cache(work->key, estimate, version);
  work->done = std::move(estimate);
  // This thread takes the next query of the user.
  current_.erase(work->query.user.uid);
  return absl::ZeroDuration();
}

void StartEstimator::Cache(const std::string& key,
                           const StartEstimateSummary& estimate,
                           uint64_t version) {
  const absl::Time now = clock_->Now();
  std::erase_if(
      cache_, [&](const auto& row) { return now - row.second.at > kKeptFor; });
  if (cache_.size() >= kMaxKept) cache_.clear();
  cache_[key] = {.estimate = estimate, .version = version, .at = now};
}

StartEstimateSummary StartEstimator::ComputeEstimate(const Query& query) {
  const SlurmSnapshotPtr cluster = scheduler_->Snapshot();
  const auto ask = [&](const Decision& decision) {
    if (ending_) return NotKnownYet();
    Submission submission = SubmissionOf(NewJobId(), decision);
    submission.array.clear();  // estimates the first task only
    return EstimateStart(decision.spec,
                         submitter_->EstimateStartAsUser(query.user, submission,
                                                         query.request_id),
                         *cluster, clock_->Now());
  };
  StartEstimateSummary estimate = ask(query.decision);
  if (estimate.fits_now || !estimate.problem.empty()) return estimate;
  FindAlternative(query, *cluster, ask, clock_->Now(), &estimate);
  return estimate;
}

}  // namespace carme::backend
