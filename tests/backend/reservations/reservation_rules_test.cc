#include "backend/reservations/reservation_rules.h"

#include <catch2/catch.hpp>
#include <functional>
#include <string>

namespace carme::backend {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

ReservationsConfig Offered() {
  ReservationsConfig config;
  config.partitions = {"main"};
  config.max_nodes = 2;
  config.max_minutes = 120;
  config.max_days_ahead = 30;
  config.max_per_user = 3;
  config.max_per_project = 5;
  return config;
}

SlurmNode NodeOf(const std::string& name) {
  SlurmNode node;
  node.name = name;
  node.up = true;
  node.has_feature = true;
  node.partitions = {"main"};
  return node;
}

// "main" with n1 and n2; "debug".
SlurmSnapshot Cluster() {
  SlurmSnapshot cluster;
  cluster.reachable = true;
  cluster.asked_at = kNow;
  cluster.nodes = {NodeOf("n1"), NodeOf("n2")};
  cluster.partitions = {{"main", true, true, std::nullopt, {"n1", "n2"}},
                        {"debug", false, true, std::nullopt, {"n1"}}};
  return cluster;
}

// Tomorrow for an hour, one node, for a project that the person manages.
struct Asked {
  ReservationsConfig config = Offered();
  SlurmSnapshot cluster = Cluster();
  ReservationInput question{.spec = {.title = "Class",
                                     .project = "abcdefgh23456789",
                                     .nodes = 1,
                                     .starts_at = kNow + absl::Hours(24),
                                     .duration = absl::Hours(1)},
                            .is_member = true,
                            .manages = true,
                            .is_active = true,
                            .now = kNow};

  ReservationDecision Decide() {
    question.config = &config;
    question.cluster = &cluster;
    return CheckReservation(question);
  }
};

struct Row {
  const char* what;
  std::function<void(Asked*)> change;
  const char* limit;  // of the only reason; empty: allowed
};

TEST_CASE("reservation: each reason for a refusal is reported",
          "[reservations]") {
  const Row rows[] = {
      {"not offered", [](Asked* a) { a->config.partitions.clear(); },
       "partitions"},
      {"no member",
       [](Asked* a) {
         a->question.is_member = a->question.manages = false;
         a->question.is_active = false;
       },
       "membership"},
      {"a member", [](Asked* a) { a->question.manages = false; }, "managers"},
      {"a closed project", [](Asked* a) { a->question.is_active = false; },
       "state"},
      {"managers of projects do not book",
       [](Asked* a) { a->config.project_managers = false; },
       "project_managers"},
      {"too many members", [](Asked* a) { a->question.users = 201; }, "users"},
      {"a user for themselves",
       [](Asked* a) { a->question.spec.project.clear(); }, "roles"},
      {"no title", [](Asked* a) { a->question.spec.title.clear(); }, "title"},
      {"a title that deceives",
       [](Asked* a) {
         a->question.spec.title =
             "a\xe2\x80\xae"
             "b";
       },
       "title"},
      {"no node", [](Asked* a) { a->question.spec.nodes = 0; }, "nodes"},
      {"too long",
       [](Asked* a) { a->question.spec.duration = absl::Minutes(121); },
       "max_minutes"},
      {"no time", [](Asked* a) { a->question.spec.duration = {}; }, "duration"},
      {"half a minute",
       [](Asked* a) { a->question.spec.duration = absl::Seconds(90); },
       "duration"},
      {"the past",
       [](Asked* a) { a->question.spec.starts_at = kNow - absl::Minutes(6); },
       "start"},
      {"too far ahead",
       [](Asked* a) { a->question.spec.starts_at = kNow + absl::Hours(721); },
       "max_days_ahead"},
      {"another partition",
       [](Asked* a) { a->question.spec.partition = "debug"; }, "partitions"},
      {"too many of the person",
       [](Asked* a) { a->question.reservations_now = 3; }, "max_per_user"},
      {"too many for the project",
       [](Asked* a) { a->question.project_reservations_now = 5; },
       "max_per_project"},
      {"Slurm is away", [](Asked* a) { a->cluster.reachable = false; },
       "slurm"},
      {"now, a moment ago",
       [](Asked* a) { a->question.spec.starts_at = kNow - absl::Minutes(1); },
       ""},
      {"a manager for themselves",
       [](Asked* a) {
         a->question.spec.project.clear();
         a->question.role = Role::kManager;
       },
       ""},
      {"all of it",
       [](Asked* a) {
         a->question.spec.nodes = 2;
         a->question.spec.duration = absl::Minutes(120);
       },
       ""}};
  for (const Row& row : rows) {
    INFO(row.what);
    Asked asked;
    row.change(&asked);
    const ReservationDecision decision = asked.Decide();
    if (row.limit[0] == '\0') {
      CHECK(decision.violations.empty());
      CHECK(decision.spec.partition == "main");
      continue;
    }
    REQUIRE_FALSE(decision.violations.empty());
    CHECK(decision.violations[0].limit == row.limit);
  }
}

TEST_CASE("reservation: nodes that others have then are counted, to the minute",
          "[reservations]") {
  const absl::Time begin = kNow + absl::Hours(24);
  struct Other {
    absl::Duration from, to;
    int free;
  };
  for (const Other& row :
       {Other{-absl::Hours(2), absl::ZeroDuration(), 2},  // ends as it begins
        Other{absl::Hours(1), absl::Hours(2), 2},         // begins as it ends
        Other{-absl::Hours(1), absl::Minutes(1), 1},
        Other{absl::Minutes(59), absl::Hours(9), 1},
        Other{absl::Minutes(10), absl::Minutes(20), 1}}) {
    Asked asked;
    asked.question.spec.nodes = 2;
    asked.cluster.reservations = {{.name = "exam",
                                   .starts_at = begin + row.from,
                                   .ends_at = begin + row.to,
                                   .nodes = {"n2"},
                                   .partition = "",
                                   .users = {"eve"},
                                   .accounts = {}}};
    const ReservationDecision decision = asked.Decide();
    CHECK(decision.nodes == 2);
    CHECK(decision.free_nodes == row.free);
    CHECK(decision.violations.empty() == (row.free == 2));
    CHECK(decision.conflicts.size() == (row.free == 2 ? 0 : 1));
  }
}

TEST_CASE("reservation: users that may reserve", "[reservations]") {
  ReservationsConfig config = Offered();
  CHECK_FALSE(MayReserveAtAll(config, Role::kUser, false));
  CHECK_FALSE(MayReserveAtAll(config, Role::kSupport, false));
  CHECK(MayReserveAtAll(config, Role::kUser, true));
  CHECK(MayReserveAtAll(config, Role::kAdmin, false));
  config.project_managers = false;
  CHECK_FALSE(MayReserveAtAll(config, Role::kUser, true));
  config.partitions.clear();
  CHECK_FALSE(MayReserveAtAll(config, Role::kAdmin, true));
}

}  // namespace
}  // namespace carme::backend
