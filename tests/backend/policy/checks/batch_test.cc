#include "backend/policy/checks/batch.h"

#include <catch2/catch.hpp>
#include <functional>
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
const std::vector<Image> kImages = {{.id = "tools:1",
                                     .description = "",
                                     .path = "/images/tools.sif",
                                     .sha256 = "",
                                     .apps = {"other"},
                                     .mounts = {},
                                     .environment = {}}};
constexpr char kJob[] = "abcdefgh23456789";

JobSpec Spec(const std::function<void(JobSpec*)>& change = [](JobSpec*) {}) {
  JobSpec spec;
  spec.batch = BatchSpec{.command = "make all"};
  change(&spec);
  return spec;
}

Decision About(const JobSpec& spec,
               const std::vector<ResolvedDependency>& resolved = {},
               const Limits& limits = {}) {
  SlurmSnapshot cluster = SmallCluster();
  cluster.max_array_size = 501;
  return Check({.spec = spec,
                .limits = limits,
                .apps = &kApps,
                .images = &kImages,
                .cluster = &cluster,
                .resolved = resolved,
                .max_array_tasks = 100});
}

// "field: message" of the only thing that is wrong; "" when nothing is.
std::string Said(const std::function<void(JobSpec*)>& change,
                 const std::vector<ResolvedDependency>& resolved = {}) {
  const std::vector<Violation> violations =
      About(Spec(change), resolved).violations;
  if (violations.empty()) return "";
  CHECK(violations.size() == 1);
  return violations[0].field + ": " + violations[0].message.text;
}

TEST_CASE("batch: is exactly one of a command and a script", "[policy]") {
  CHECK(Said([](JobSpec* s) { s->batch->command.clear(); }) ==
        "batch.command: a command or a script is required");
  CHECK(Said([](JobSpec* s) { s->batch->script = "~/run"; }) ==
        "batch.command: only one of command and script is allowed");
  CHECK(Said([](JobSpec* s) { s->batch->command = std::string(16385, 'x'); }) ==
        "batch.command: command has 16385 bytes: expected at most 16384, "
        "without NUL bytes");
  CHECK(Said([](JobSpec* s) { s->batch->command = std::string("a\0b", 3); }) !=
        "");
  for (const char* path : {"run.sh", "../run", "~bob/run", "/x\n", "~"}) {
    INFO(path);
    CHECK(Said([&](JobSpec* s) {
            s->batch->command.clear();
            s->batch->script = path;
          }) ==
          "batch.script: script is not a valid path: it must begin with \"/\" "
          "or \"~/\"");
  }
}

TEST_CASE("batch: has no app, makes no image and joins no job", "[policy]") {
  CHECK(Said([](JobSpec* s) { s->app = "jupyter"; }) ==
        "app: app is not allowed for a batch job");
  CHECK(Said([](JobSpec* s) { s->builds = "ada/x:1"; }) ==
        "builds: builds is not allowed for a batch job");
  bool said = false;
  for (const Violation& violation :
       About(Spec([](JobSpec* s) { s->linked_to = kJob; })).violations) {
    said = said ||
           violation.message.text == "linkedTo is not allowed for a batch job";
  }
  CHECK(said);
}

TEST_CASE("batch: no other job's nodes join it", "[policy]") {
  const SlurmSnapshot cluster = SmallCluster();
  const Decision decision =
      Check({.spec = {.linked_to = kJob},
             .apps = &kApps,
             .images = &kImages,
             .cluster = &cluster,
             .joined = JoinedJob{.spec = Spec(), .ready = true}});
  REQUIRE(!decision.violations.empty());
  CHECK(decision.violations[0].message.text ==
        "nodes cannot be added to a batch job: expected a job with an app");
}

TEST_CASE("batch: arguments are a script's, and bounded", "[policy]") {
  CHECK(Said([](JobSpec* s) { s->batch->arguments = {"-v"}; }) ==
        "batch.arguments: arguments are only allowed with a script");
  const auto with = [](std::vector<std::string> arguments) {
    return Said([&](JobSpec* s) {
      s->batch->command.clear();
      s->batch->script = "~/run";
      s->batch->arguments = arguments;
    });
  };
  CHECK(with({"-v", "", "a b"}).empty());
  CHECK(with(std::vector<std::string>(64, "x")).empty());
  CHECK(with(std::vector<std::string>(65, "x")) != "");
  CHECK(with({std::string(4097, 'x')}) != "");
  CHECK(with({std::string("a\0b", 3)}) != "");
}

TEST_CASE("batch: refuses ambiguous output files", "[policy]") {
  const auto output = [](const std::string& path, const std::string& array) {
    return Said([&](JobSpec* s) {
      s->batch->output = path;
      s->batch->array = array;
    });
  };
  for (const char* path : {"/", "~", "out/", "a\nb"}) {
    INFO(path);
    CHECK(output(path, "").find(
              "batch.output: batch.output is not a valid file path") == 0);
  }
  for (const char* path : {"%x", "%", "a%", "%u.log"}) {
    INFO(path);
    CHECK(output(path, "").find("has an unknown placeholder") !=
          std::string::npos);
  }
  // Without an array there is no index.
  CHECK(output("%a.log", "") != "");
  CHECK(output("all.log", "0-3").find("the same file for all tasks") !=
        std::string::npos);
  CHECK(output("%A.log", "0-3") != "");
  for (const char* path : {"~/out/%j.log", "x_%A", "100%%", "/scratch/x"}) {
    INFO(path);
    CHECK(output(path, "").empty());
  }
  CHECK(output("%A_%a.log", "0-3").empty());
  CHECK(output("%j.log", "0-3").empty());
}

TEST_CASE("batch: an array is bounded by the site and by Slurm", "[policy]") {
  const auto array = [](const std::string& text) {
    return Said([&](JobSpec* s) { s->batch->array = text; });
  };
  CHECK(array("9-0").find("batch.array: array \"9-0\" is not a valid list") ==
        0);
  CHECK(array("0-100") ==
        "batch.array: array has 101 tasks: expected at most 100 "
        "(max_array_tasks)");
  CHECK(array("501") ==
        "batch.array: array has index 501: Slurm accepts indices below 501 "
        "(MaxArraySize)");
  CHECK(array("0-99").empty());
  CHECK(array("500").empty());
  CHECK(Said([](JobSpec* s) {
          s->batch->array = "0-3";
          s->stage_out = {{"out", "out"}};
        }).find("stageOut: array jobs cannot copy results back") == 0);
}

TEST_CASE("batch: waits only for jobs of the user's that Slurm has",
          "[policy]") {
  const auto on = [](DependencyKind kind) {
    return [kind](JobSpec* s) { s->batch->dependencies = {{kJob, kind}}; };
  };
  const ResolvedDependency there{SlurmJobId(7)}, not_yet{SlurmJobId()}, none{};
  const Decision missing =
      About(Spec(on(v1::DEPENDENCY_KIND_AFTER_OK)), {none});
  REQUIRE(missing.violations.size() == 1);
  CHECK(missing.violations[0].refusal == Refusal::kMissing);
  const Decision early =
      About(Spec(on(v1::DEPENDENCY_KIND_AFTER_OK)), {not_yet});
  REQUIRE(early.violations.size() == 1);
  CHECK(early.violations[0].refusal == Refusal::kUnavailable);
  CHECK(Said(on(v1::DEPENDENCY_KIND_UNSPECIFIED), {there}) != "");
  CHECK(Said(on(static_cast<DependencyKind>(5)), {there}) != "");
  CHECK(Said([](JobSpec* s) {
          s->batch->dependencies.assign(33, {kJob, v1::DEPENDENCY_KIND_AFTER});
        }) ==
        "batch.dependencies: job waits for 33 others: expected at most "
        "32");
  const Decision good =
      About(Spec(on(v1::DEPENDENCY_KIND_AFTER_NOT_OK)), {there});
  CHECK(good.violations.empty());
  CHECK(good.dependencies ==
        std::vector<std::pair<SlurmJobId, int>>{{SlurmJobId(7), 3}});
}

TEST_CASE("batch: runs in any image, under the same limits", "[policy]") {
  const Decision decision = About(Spec(), {}, {.max_gpus_per_job = 2});
  CHECK(decision.violations.empty());
  CHECK(decision.spec.image == "tools:1");
  CHECK(decision.spec.name == "batch");
  CHECK(decision.spec.app.empty());
  CHECK(Said([](JobSpec* s) { s->image = "none:0"; }) != "");
  CHECK(About(Spec([](JobSpec* s) { s->gpus_per_node = 4; }), {},
              {.max_gpus_per_job = 2})
            .violations.size() == 1);
}

}  // namespace
}  // namespace carme::backend
