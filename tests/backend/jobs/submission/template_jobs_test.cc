// Jobs by templates, with what a real submission does around the policy.
#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "backend/jobs/store/presets.h"
#include "backend/templates/templates.h"
#include "tests/backend/jobs/job_fixture.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

struct World : JobFixture {
  std::string Make(JobTemplate settings, const std::string& project) {
    const auto made = templates_->Create(std::move(settings));
    REQUIRE_THAT(made, IsOk());
    REQUIRE_THAT(templates_->Attach(made->job_template.id, project, true),
                 IsOk());
    return made->job_template.id;
  }
  absl::Status Retire(const std::string& id) {
    return templates_->Retire(id, true).status();
  }
};

TEST_CASE("jobs: a project with templates runs by these alone", "[backend]") {
  World world;
  const std::string project = world.AdasProject();
  const std::string id = world.Make(
      {.name = "Short", .max_walltime = absl::Minutes(10), .account = "teach"},
      project);
  const JobSpec longer{.walltime = absl::Minutes(11), .project = project};
  const absl::Status refused = world.Submit(world.ada_, "", longer).status();
  CHECK(absl::IsPermissionDenied(refused));
  CHECK(refused.message() ==
        "walltime is 11 min: template \"Short\" allows at most 10 min");
  CHECK(StatusOf(world.jobs_->Preview(world.ada_, longer).violations) ==
        refused);
  const auto job = world.Submit(world.ada_, "", {.project = project});
  REQUIRE_THAT(job, IsOk());
  CHECK(job->spec.job_template == id);
  CHECK(job->spec.walltime == absl::Minutes(10));
  // Beside the project nothing has changed.
  CHECK_THAT(world.Submit(world.ada_, "", {.walltime = absl::Hours(2)}),
             IsOk());
  const auto elsewhere = world.Submit(world.ada_, "", {.job_template = id});
  CHECK(absl::IsPermissionDenied(elsewhere.status()));
  REQUIRE_THAT(world.Retire(id), IsOk());
  CHECK(absl::IsPermissionDenied(
      world.Submit(world.ada_, "", {.project = project}).status()));
}

TEST_CASE("jobs: refuses a template of another project", "[backend]") {
  World world;
  const std::string project = world.AdasProject();
  const std::string id = world.Make({.name = "Hers"}, project);
  for (const JobSpec& spec : {JobSpec{.project = project, .job_template = id},
                              JobSpec{.job_template = id}}) {
    const absl::Status refused = world.Submit(world.bob_, "", spec).status();
    CHECK(absl::IsPermissionDenied(refused));
    CHECK(refused.message().find("Hers") == std::string::npos);
  }
}

TEST_CASE("jobs: submitted at once they do not pass a template's number",
          "[backend]") {
  World world;
  const std::string id = world.Make({.name = "Two", .max_jobs = 2}, "");
  std::vector<std::thread> threads;
  std::atomic<int> started = 0, refused = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const auto job = world.jobs_->Submit(world.ada_, {}, "",
                                           {.actor = "ada", .request_id = "r"});
      if (job.ok()) ++started;
      if (absl::IsResourceExhausted(job.status())) ++refused;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(started == 2);
  CHECK(refused == 6);
  CHECK(absl::IsResourceExhausted(
      StatusOf(world.jobs_->Preview(world.ada_, {}).violations)));
  CHECK_THAT(world.Submit(world.bob_), IsOk());  // each person has theirs
}

TEST_CASE("jobs: a template's reservation is one that its user may use",
          "[backend]") {
  World world;
  world.Make({.name = "Class", .reservation = "class"}, "");
  // It is not there, or not for her: the template alone opens nothing.
  CHECK_THAT(world.Submit(world.ada_),
             StatusIs(absl::StatusCode::kFailedPrecondition));
  SlurmSnapshot cluster = *world.slurm_.Snapshot();
  cluster.reservations = {{.name = "class",
                           .starts_at = world.clock_.Now(),
                           .ends_at = world.clock_.Now() + absl::Hours(9),
                           .nodes = {},
                           .partition = "",
                           .users = {"ada"},
                           .accounts = {}}};
  world.slurm_.set_cluster(cluster);
  world.slurm_.Poll();
  const auto job = world.Submit(world.ada_);
  REQUIRE_THAT(job, IsOk());
  CHECK(job->spec.reservation == "class");
  CHECK_FALSE(world.Submit(world.bob_).ok());
}

TEST_CASE("jobs: an image job is limited by a template", "[backend]") {
  World world;
  world.Make({.name = "Short", .max_walltime = absl::Minutes(10)}, "");
  const auto job =
      world.Submit(world.ada_, "", {.name = "image", .builds = "ada/own:1"});
  REQUIRE_THAT(job, IsOk());
  CHECK(job->spec.walltime == absl::Minutes(10));
}

TEST_CASE(
    "presets: refuses more than the limits and fields without a later meaning",
    "[backend]") {
  World world;
  Presets presets(world.database_.get());
  const Uid ada = world.ada_.uid;
  for (const std::string& name :
       {std::string(), std::string(" "), std::string(65, 'a'),
        std::string("a\nb"), std::string("a\xff")}) {
    CHECK(absl::IsInvalidArgument(presets.Save(ada, {.name = name})));
  }
  CHECK(absl::IsInvalidArgument(
      presets.Save(ada, {.name = "p", .spec = {.linked_to = "j"}})));
  CHECK(absl::IsInvalidArgument(
      presets.Save(ada, {.name = "p", .spec = {.builds = "i"}})));
  CHECK(absl::IsInvalidArgument(presets.Save(
      ada, {.name = "p", .spec = {.name = std::string(70'000, 'a')}})));
  CHECK(presets.Of(ada)->empty());
}

TEST_CASE("presets: are their owner's, bounded, and kept by name",
          "[backend]") {
  World world;
  Presets presets(world.database_.get());
  const Uid ada = world.ada_.uid;
  const Uid bob = world.bob_.uid;
  for (size_t i = 0; i < Presets::kMaxPresets; ++i) {
    REQUIRE_THAT(presets.Save(ada, {.name = std::to_string(i)}), IsOk());
  }
  CHECK(absl::IsResourceExhausted(presets.Save(ada, {.name = "more"})));
  CHECK_THAT(presets.Save(ada, {.name = "7", .spec = {.nodes = 3}}), IsOk());
  CHECK(presets.Of(bob)->empty());
  REQUIRE_THAT(presets.Save(bob, {.name = "7"}), IsOk());
  REQUIRE_THAT(presets.Delete(bob, "7"), IsOk());
  CHECK_THAT(presets.Delete(bob, "7"), IsOk());
  world.Restart();
  Presets again(world.database_.get());
  const auto kept = again.Of(ada);
  REQUIRE_THAT(kept, IsOk());
  CHECK(kept->size() == Presets::kMaxPresets);
  for (const Preset& preset : *kept) {
    CHECK(preset.spec.nodes == (preset.name == "7" ? 3 : 0));
  }
}

}  // namespace
}  // namespace carme::backend
