#include "backend/slurm/poll/next_snapshot.h"

#include <memory>
#include <utility>

namespace carme::backend {
namespace {

void SetReachable(bool reachable, absl::Time now, SlurmSnapshot* snapshot,
                  absl::string_view problem = "") {
  snapshot->problem = std::string(problem);
  if (snapshot->reachable == reachable &&
      snapshot->since != absl::InfinitePast()) {
    return;
  }
  snapshot->reachable = reachable;
  snapshot->since = now;
  ++snapshot->version;
}

// For no result, an error, or a partial result.
SlurmSnapshotPtr WithoutFullPoll(const SlurmSnapshot& last,
                                 std::optional<SlurmQueryResult> answer,
                                 absl::Time asked_at, absl::Time now) {
  auto next = std::make_shared<SlurmSnapshot>(last);
  if (!answer.has_value()) {
    if (now - asked_at >= kUnreachableAfter)
      SetReachable(false, now, next.get(), kNoResponse);
    return next;
  }
  SetReachable(answer->ok(), now, next.get(), answer->status().message());
  if (!answer->ok()) return next;
  SlurmFacts facts = **std::move(answer);
  for (const SlurmJobId id : facts.refreshed_jobs) {
    next->refreshed_jobs[id] = asked_at;
  }
  for (auto& [id, job] : facts.jobs) {
    next->refreshed_jobs[id] = asked_at;
    next->jobs.insert_or_assign(id, std::move(job));
  }
  return next;
}

}  // namespace

SlurmSnapshotPtr NextSnapshot(const SlurmSnapshot& last,
                              std::optional<SlurmQueryResult> answer,
                              absl::Time asked_at, absl::Time now) {
  if (!answer.has_value() || !answer->ok() ||
      !(*answer)->refreshed_jobs.empty()) {
    return WithoutFullPoll(last, std::move(answer), asked_at, now);
  }
  // The whole snapshot is replaced. It is large, so it is not copied.
  SlurmFacts facts = **std::move(answer);
  auto next = std::make_shared<SlurmSnapshot>();
  next->reachable = last.reachable;
  next->since = last.since;
  next->version = last.version;
  SetReachable(true, now, next.get());
  if (facts.nodes != last.nodes || facts.partitions != last.partitions ||
      facts.reservations != last.reservations) {
    ++next->version;
  }
  next->asked_at = asked_at;
  next->cluster_name = std::move(facts.cluster_name);
  next->slurm_version = std::move(facts.slurm_version);
  next->max_array_size = facts.max_array_size;
  next->min_job_age = facts.min_job_age;
  next->jobs = std::move(facts.jobs);
  next->waiting = std::move(facts.waiting);
  next->nodes = std::move(facts.nodes);
  next->partitions = std::move(facts.partitions);
  next->reservations = std::move(facts.reservations);
  next->reservations_asked_at = facts.reservations_asked_at;
  next->reservations_hidden = facts.reservations_hidden;
  next->accounting = std::move(facts.accounting);
  next->enforcement = facts.enforcement;
  next->resources_asked_at = facts.resources_asked_at;
  next->detail = std::move(facts.detail);
  return next;
}

}  // namespace carme::backend
