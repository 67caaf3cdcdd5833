#include "backend/slurm/poll/next_snapshot.h"

#include <catch2/catch.hpp>

namespace carme::backend {
namespace {

const absl::Time kStart = absl::FromUnixSeconds(1000);

SlurmFacts OneNode() {
  SlurmFacts facts;
  facts.cluster_name = "carme";
  facts.nodes.resize(1);
  facts.nodes[0].name = "n1";
  facts.jobs[SlurmJobId(7)].carme_id = JobId("abcdefghijklmno1");
  facts.reservations_asked_at = kStart - absl::Seconds(5);
  facts.reservations_hidden = true;
  return facts;
}

SlurmSnapshotPtr After(const SlurmSnapshot& last, SlurmQueryResult answer,
                       absl::Time now) {
  return NextSnapshot(last, std::move(answer), now, now);
}

TEST_CASE("snapshot: a failed query makes Slurm unreachable at once",
          "[backend]") {
  const auto good = After({}, OneNode(), kStart);
  const auto bad = After(*good, absl::UnavailableError("refused"),
                         kStart + absl::Seconds(1));
  CHECK_FALSE(bad->reachable);
  CHECK(bad->since == kStart + absl::Seconds(1));
  CHECK(bad->problem == "refused");
  CHECK(bad->asked_at == kStart);
  CHECK(bad->version == good->version + 1);
  CHECK(bad->jobs.size() == 1);  // what was known stays
  CHECK(bad->reservations_asked_at == kStart - absl::Seconds(5));
  CHECK(bad->reservations_hidden);
  const auto still =
      After(*bad, absl::UnavailableError("refused"), kStart + absl::Seconds(2));
  CHECK(still->since == bad->since);
  CHECK(still->version == bad->version);
}

TEST_CASE("snapshot: a query that hangs makes Slurm unreachable later",
          "[backend]") {
  const auto good = After({}, OneNode(), kStart);
  const absl::Time asked = kStart + absl::Seconds(1);
  const auto soon = NextSnapshot(*good, std::nullopt, asked,
                                 asked + absl::Milliseconds(2999));
  CHECK(soon->reachable);
  CHECK(soon->version == good->version);
  const auto late =
      NextSnapshot(*soon, std::nullopt, asked, asked + kUnreachableAfter);
  CHECK_FALSE(late->reachable);
  CHECK(late->since == asked + kUnreachableAfter);
}

TEST_CASE("snapshot: never reached is unreachable since the first query",
          "[backend]") {
  const auto first = After({}, absl::UnavailableError("refused"), kStart);
  CHECK_FALSE(first->reachable);
  CHECK(first->since == kStart);
  CHECK(first->version == 1);
}

TEST_CASE("snapshot: the version grows with nodes, partitions and health only",
          "[backend]") {
  const auto first = After({}, OneNode(), kStart);
  CHECK(first->reachable);
  CHECK(first->since == kStart);
  SlurmFacts facts = OneNode();
  facts.jobs.clear();
  const auto second = After(*first, facts, kStart + absl::Seconds(1));
  CHECK(second->version == first->version);
  CHECK(second->jobs.empty());
  CHECK(second->asked_at == kStart + absl::Seconds(1));
  facts.nodes[0].cpus_used = 1;
  const auto third = After(*second, facts, kStart + absl::Seconds(2));
  CHECK(third->version == second->version + 1);
  facts.partitions.resize(1);
  CHECK(After(*third, facts, kStart)->version == third->version + 1);
  CHECK(third->since == kStart);
}

TEST_CASE("snapshot: a partial result changes only its jobs", "[backend]") {
  const SlurmJobId seven(7), eight(8), nine(9);
  SlurmFacts all = OneNode();
  all.jobs[seven].state = SlurmState::kRunning;
  all.jobs[eight].state = SlurmState::kRunning;
  const auto first = After({}, all, kStart);
  SlurmFacts some;
  some.refreshed_jobs = {seven, nine};  // Slurm does not have the last one
  some.jobs[seven].state = SlurmState::kCompleted;
  const absl::Time later = kStart + absl::Seconds(1);
  const auto second = After(*first, some, later);
  CHECK(second->jobs.at(seven).state == SlurmState::kCompleted);
  CHECK(second->jobs.at(eight).state == SlurmState::kRunning);
  CHECK(second->jobs.size() == 2);
  CHECK(second->asked_at == kStart);
  CHECK(AskedAt(*second, seven) == later);
  CHECK(AskedAt(*second, nine) == later);
  CHECK(AskedAt(*second, eight) == kStart);
  CHECK(second->nodes.size() == 1);
  CHECK(second->cluster_name == "carme");
  CHECK(second->version == first->version);
  // The next full poll is newer for every job.
  const auto third = After(*second, all, kStart + absl::Seconds(2));
  CHECK(AskedAt(*third, seven) == kStart + absl::Seconds(2));
  CHECK(third->refreshed_jobs.empty());
}

}  // namespace
}  // namespace carme::backend
