// Submissions during maintenance of the site.
#include <catch2/catch.hpp>

#include "common/protobuf/error_details.h"
#include "tests/backend/jobs/job_fixture.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

void StartMaintenance(JobFixture* world) {
  REQUIRE_THAT(world->resources_->maintenance->Start(
                   {"carol", Uid(20003)},
                   {.message = "New storage",
                    .ends_at = world->clock_.Now() + absl::Hours(2)},
                   "request"),
               IsOk());
}

TEST_CASE("jobs: new jobs are refused during maintenance, with the reason",
          "[jobs]") {
  JobFixture world;
  StartMaintenance(&world);
  const auto refused = world.Submit(world.ada_);
  CHECK_THAT(refused,
             StatusIs(absl::StatusCode::kFailedPrecondition, "New storage"));
  CHECK(ErrorReason(refused.status()) == "MAINTENANCE");
  // Also if the request is invalid: the user need not fix it now.
  JobSpec invalid;
  invalid.nodes = -1;
  CHECK(ErrorReason(world.Submit(world.ada_, "", invalid).status()) ==
        "MAINTENANCE");
  const Decision preview = world.jobs_->Preview(world.ada_, {});
  REQUIRE_FALSE(preview.violations.empty());
  CHECK(preview.violations[0].refusal == Refusal::kMaintenance);
}

TEST_CASE("jobs: running jobs and retries of accepted ones survive maintenance",
          "[jobs]") {
  JobFixture world;
  const Job running = world.Registered();
  const Job pending = world.Submit(world.ada_, "key").value();
  StartMaintenance(&world);
  const auto again = world.Submit(world.ada_, "key");
  REQUIRE_THAT(again, IsOk());
  CHECK(again->id == pending.id);
  world.slurm_.Poll();
  CHECK(world.Now(running.id).state != v1::JOB_STATE_ENDED);
}

TEST_CASE("jobs: administrators may submit during maintenance", "[jobs]") {
  JobFixture world;
  StartMaintenance(&world);
  CHECK_THAT(world.Submit(SessionOf("bob", 20002, Role::kAdmin)), IsOk());
  REQUIRE_THAT(world.resources_->maintenance->End("request"), IsOk());
  CHECK_THAT(world.Submit(world.ada_), IsOk());
}

}  // namespace
}  // namespace carme::backend
