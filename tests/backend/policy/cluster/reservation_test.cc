#include "backend/policy/cluster/reservation.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "backend/policy/policy.h"
#include "tests/backend/policy/clusters.h"

namespace carme::backend {
namespace {

const std::vector<App> kApps = {{.id = "jupyter",
                                 .name = "Jupyter",
                                 .icon = "app",
                                 .description = "",
                                 .command = {"jupyter"},
                                 .ready_path = "/",
                                 .environment = {}}};
const std::vector<Image> kImages = {{.id = "base:1",
                                     .description = "",
                                     .path = "/images/base.sif",
                                     .sha256 = "",
                                     .apps = {},
                                     .mounts = {},
                                     .environment = {}}};
const absl::Time kNow = absl::UnixEpoch();  // when SmallCluster() was asked

// a1 and v1 for two hours, an hour from now.
SlurmReservation Class() {
  return {.name = "class",
          .starts_at = kNow + absl::Hours(1),
          .ends_at = kNow + absl::Hours(3),
          .nodes = {"a1", "v1"},
          .partition = "main",
          .users = {"fay", "ada"},
          .accounts = {}};
}

SlurmReservation With(void (*change)(SlurmReservation*)) {
  SlurmReservation reservation = Class();
  change(&reservation);
  return reservation;
}

Decision About(JobSpec spec, const SlurmReservation& reservation = Class(),
               const std::string& user = "ada") {
  SlurmSnapshot cluster = SmallCluster();
  cluster.reservations = {reservation};
  if (spec.reservation.empty()) spec.reservation = "class";
  return Check(
      {.spec = spec,
       .uid = Uid(20001),
       .apps = &kApps,
       .images = &kImages,
       .cluster = &cluster,
       .reservation = UsableReservation(cluster, spec.reservation, user)});
}

std::string FieldOf(const Decision& decision) {
  return decision.violations.empty() ? "" : decision.violations[0].field;
}

TEST_CASE("reservation: refuses one of other users", "[policy]") {
  struct Row {
    const char* what;
    SlurmReservation reservation;
    bool bob;
  };
  const Row rows[] = {
      {"named users", Class(), false},
      {"maintenance", With([](auto* r) {
         r->users.push_back("bob");
         r->for_maintenance = true;
       }),
       false},
      {"all but bob", With([](auto* r) {
         r->users = {"-bob", "-eve"};
       }),
       false},
      {"an account but not bob", With([](auto* r) {
         r->users = {"-bob"};
         r->accounts = {"chem"};
       }),
       false},
      {"named users of an account",
       With([](auto* r) { r->accounts = {"chem"}; }), false},
      {"nobody", With([](auto* r) { r->users.clear(); }), false},
      {"all but eve", With([](auto* r) { r->users = {"-eve"}; }), true},
      {"an account", With([](auto* r) {
         r->users.clear();
         r->accounts = {"chem"};
       }),
       true},
      {"a group", With([](auto* r) {
         r->users.clear();
         r->groups = {"staff"};
       }),
       true},
      {"bob", With([](auto* r) { r->users.push_back("bob"); }), true}};
  for (const Row& row : rows) {
    INFO(row.what);
    CHECK(MayUse(row.reservation, "bob") == row.bob);
  }
}

TEST_CASE("reservation: a missing and a foreign one are refused equally",
          "[policy]") {
  const Decision foreign = About({}, Class(), "bob");
  const Decision missing = About({.reservation = "klass"});
  CHECK(FieldOf(foreign) == "reservation");
  CHECK(FieldOf(missing) == "reservation");
  CHECK(foreign.violations[0].refusal == missing.violations[0].refusal);
  CHECK_THAT(foreign.violations[0].message.text,
             Catch::Contains("does not exist or is not available to you"));
}

TEST_CASE("reservation: a job must fit into its time", "[policy]") {
  CHECK(FieldOf(About({.walltime = absl::Hours(2)})).empty());
  CHECK(FieldOf(About({.walltime = absl::Minutes(121)})) == "walltime");
  // One that begins later has less of it.
  JobSpec later{.walltime = absl::Minutes(90)};
  later.start_at = kNow + absl::Hours(2);
  CHECK(FieldOf(About(later)) == "walltime");
  later.start_at = kNow + absl::Hours(3);
  const Decision over = About(later);
  CHECK(FieldOf(over) == "reservation");
  CHECK_THAT(over.violations[0].message.text, Catch::Contains("ends too soon"));
  CHECK(FieldOf(About({}, With([](auto* r) {
                        r->starts_at = kNow - absl::Hours(2);
                        r->ends_at = kNow - absl::Hours(1);
                      }))) == "reservation");
}

TEST_CASE("reservation: a job must fit onto its nodes", "[policy]") {
  CHECK(FieldOf(About({.nodes = 2, .gpus_per_node = 4})).empty());
  const Decision nodes = About({.nodes = 3, .gpus_per_node = 1});
  CHECK_FALSE(nodes.violations.empty());
  CHECK_THAT(nodes.violations[0].message.text,
             Catch::Contains("in its reservation"));
  // a2 has them, but is not reserved.
  CHECK_FALSE(About({.nodes = 2, .gpus_per_node = 4, .gpu_type = "a100"})
                  .violations.empty());
  const Decision elsewhere = About({.partition = "long"});
  CHECK(FieldOf(elsewhere) == "reservation");
}

TEST_CASE("reservation: gives a job its partition and, unasked, its time",
          "[policy]") {
  const Decision decision = About(
      {}, With([](auto* r) { r->ends_at = r->starts_at + absl::Minutes(30); }));
  CHECK(decision.violations.empty());
  CHECK(decision.spec.partition == "main");
  CHECK(decision.spec.walltime == absl::Minutes(30));
  CHECK(decision.spec.reservation == "class");
}

}  // namespace
}  // namespace carme::backend
