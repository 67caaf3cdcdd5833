#include "backend/policy/checks/additional_nodes.h"

#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/policy/policy.h"
#include "tests/backend/policy/clusters.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

constexpr char kJob[] = "abcdefgh23456789";
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
                                     .environment = {}},
                                    {.id = "other:1",
                                     .description = "",
                                     .path = "/images/other.sif",
                                     .sha256 = "",
                                     .apps = {},
                                     .mounts = {},
                                     .environment = {}}};

// A job of the user's that is ready on a1, for another 90 minutes and a half.
JoinedJob Ready() {
  return {.spec = {.image = "base:1"},
          .ready = true,
          .left = absl::Minutes(90) + absl::Seconds(30),
          .nodes = {"a1"}};
}

Decision About(const std::optional<JoinedJob>& joined, JobSpec spec,
               const Limits& limits = {}, int jobs_now = 1) {
  const SlurmSnapshot cluster = SmallCluster();
  spec.linked_to = kJob;
  return Check({.spec = spec,
                .uid = Uid(20001),
                .role = Role::kUser,
                .limits = limits,
                .jobs_now = jobs_now,
                .apps = &kApps,
                .images = &kImages,
                .cluster = &cluster,
                .environment = {},
                .joined = joined});
}

struct Row {
  const char* what;
  std::optional<JoinedJob> joined;
  JobSpec spec;
  absl::StatusCode code;
  const char* field;
};

JoinedJob With(void (*change)(JoinedJob*)) {
  JoinedJob joined = Ready();
  change(&joined);
  return joined;
}

TEST_CASE("additional nodes: returns every violation", "[policy]") {
  using absl::StatusCode;
  const Row rows[] = {{"no job of the user's",
                       std::nullopt,
                       {},
                       StatusCode::kNotFound,
                       "linkedTo"},
                      {"one that is not ready",
                       With([](JoinedJob* j) { j->ready = false; }),
                       {},
                       StatusCode::kFailedPrecondition,
                       "linkedTo"},
                      {"a linked job",
                       With([](JoinedJob* j) { j->spec.linked_to = kJob; }),
                       {},
                       StatusCode::kInvalidArgument,
                       "linkedTo"},
                      {"while another waits",
                       With([](JoinedJob* j) { j->another_waits = true; }),
                       {},
                       StatusCode::kResourceExhausted,
                       "linkedTo"},
                      {"with an app",
                       Ready(),
                       {.app = "jupyter"},
                       StatusCode::kInvalidArgument,
                       "app"},
                      {"in another image",
                       Ready(),
                       {.image = "other:1"},
                       StatusCode::kInvalidArgument,
                       "image"},
                      {"in an environment",
                       Ready(),
                       {.environment = "torch"},
                       StatusCode::kInvalidArgument,
                       "environment"},
                      {"with data to copy",
                       Ready(),
                       {.stage_in = {{"~/a", "a"}}},
                       StatusCode::kInvalidArgument,
                       "stageIn"},
                      {"with results to copy",
                       Ready(),
                       {.stage_out = {{"a", "~/a"}}},
                       StatusCode::kInvalidArgument,
                       "stageOut"},
                      {"that builds an image",
                       Ready(),
                       {.builds = "ada/x:1"},
                       StatusCode::kInvalidArgument,
                       "builds"},
                      {"longer than the job",
                       Ready(),
                       {.walltime = absl::Minutes(91)},
                       StatusCode::kFailedPrecondition,
                       "walltime"},
                      {"of a job that is over at once",
                       With([](JoinedJob* j) { j->left = absl::Seconds(20); }),
                       {},
                       StatusCode::kFailedPrecondition,
                       "walltime"},
                      {"in an image that is gone",
                       With([](JoinedJob* j) { j->spec.image = "gone:1"; }),
                       {},
                       StatusCode::kFailedPrecondition,
                       "linkedTo"},
                      {"larger than the nodes beside the job's",
                       Ready(),
                       {.nodes = 2, .gpus_per_node = 1, .gpu_type = "a100"},
                       StatusCode::kFailedPrecondition,
                       "nodes"},
                      {"where the job has every node",
                       With([](JoinedJob* j) {
                         j->nodes = {"a1", "a2", "v1"};
                       }),
                       {},
                       StatusCode::kFailedPrecondition,
                       "partition"}};
  for (const Row& row : rows) {
    INFO(row.what);
    const Decision decision = About(row.joined, row.spec);
    REQUIRE(decision.violations.size() == 1);
    CHECK(decision.violations[0].field == row.field);
    INFO(decision.violations[0].message.text);
    CHECK_THAT(StatusOf(decision.violations), StatusIs(row.code));
  }
}

TEST_CASE("additional nodes: the limits count it as any job", "[policy]") {
  const Decision many = About(Ready(), {}, {.max_running_jobs = 1});
  REQUIRE(many.violations.size() == 1);
  CHECK(many.violations[0].limit == "max_running_jobs");
  const Decision large =
      About(Ready(), {.gpus_per_node = 4}, {.max_gpus_per_job = 3});
  REQUIRE(large.violations.size() == 1);
  CHECK(large.violations[0].limit == "max_gpus_per_job");
}

TEST_CASE("additional nodes: to a limit of one job it and the job are one",
          "[policy]") {
  const JoinedJob joined = With([](JoinedJob* j) { j->gpus = 2; });
  const auto refusals = [&](JobSpec spec, const Limits& limits) {
    return About(joined, std::move(spec), limits).violations;
  };
  const auto large = refusals({.gpus_per_node = 2}, {.max_gpus_per_job = 3});
  REQUIRE(large.size() == 1);
  CHECK(large[0].limit == "max_gpus_per_job");
  CHECK(
      large[0].message.text ==
      "job requests 2 GPUs beside 2 of the job that it joins: role user allows "
      "at most 3 (max_gpus_per_job)");
  CHECK(refusals({.gpus_per_node = 1}, {.max_gpus_per_job = 3}).empty());
  // It takes none of what was too much before.
  CHECK(refusals({}, {.max_gpus_per_job = 1}).empty());

  const SlurmSnapshot cluster = SmallCluster();
  const Decision wide = Check(
      {.spec = {.nodes = 1, .linked_to = kJob},
       .uid = Uid(20001),
       .apps = &kApps,
       .images = &kImages,
       .cluster = &cluster,
       .joined = joined,
       .quotas = QuotaTerms{.rules = {{.scope = v1::LIMIT_SCOPE_USER,
                                       .username = "ada",
                                       .metric = v1::LIMIT_METRIC_NODES_PER_JOB,
                                       .max = 1}}}});
  REQUIRE(wide.violations.size() == 1);
  CHECK(
      wide.violations[0].message.text ==
      "job requests 1 nodes beside 1 of the job that it joins: user ada allows "
      "at most 1 (max_nodes_per_job)");
}

TEST_CASE("additional nodes: have the job's resources and time on other nodes",
          "[policy]") {
  const Decision decision =
      About(Ready(), {.gpus_per_node = 1, .gpu_type = "a100"});
  REQUIRE(decision.violations.empty());
  CHECK(decision.spec.image == "base:1");
  CHECK(decision.spec.app.empty());
  CHECK(decision.spec.name == "additional-nodes");
  CHECK(decision.spec.walltime == absl::Minutes(90));
  CHECK(decision.excluded_nodes == std::vector<std::string>{"a1"});
  // The same as the job's may be given: the preview's answer is a request, too.
  CHECK(About(Ready(), decision.spec).violations.empty());
}

TEST_CASE("additional nodes: a job without an end is joined for the usual time",
          "[policy]") {
  JoinedJob joined = Ready();
  joined.left.reset();
  const Decision decision = About(joined, {});
  CHECK(decision.violations.empty());
  CHECK(decision.spec.walltime == absl::Hours(1));
}

TEST_CASE("additional nodes: joins a job in an environment with any images",
          "[policy]") {
  JoinedJob joined = Ready();
  joined.spec = {.environment = "torch"};
  const Decision decision = About(joined, {});
  CHECK(decision.violations.empty());
  CHECK(decision.spec.environment == "torch");
  CHECK(decision.spec.image.empty());
}

}  // namespace
}  // namespace carme::backend
