#include "backend/policy/limits/template_limits.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "backend/policy/policy.h"
#include "tests/backend/policy/clusters.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

// Two A100 at most, on one node, for two hours.
JobTemplate Courses() {
  return {.id = "courses",
          .name = "Courses",
          .partition = "main",
          .gpu_types = {"a100"},
          .max_gpus_per_node = 2,
          .max_nodes = 1,
          .max_jobs = 2,
          .max_walltime = absl::Minutes(30),
          .cpus_per_gpu = 8,
          .memory_per_gpu_mib = 16384,
          .images = {"base:1"},
          .account = "teach",
          .qos = "low"};
}

JobTemplate Cpus() {
  return {.id = "cpus", .name = "No GPU", .partition = "long", .no_gpus = true};
}

class Asked {
 public:
  Asked() {
    apps_ = {{.id = "jupyter",
              .name = "Jupyter",
              .icon = "app",
              .description = "",
              .command = {"jupyter"},
              .ready_path = "/",
              .environment = {}}};
    for (const char* id : {"lab:2", "base:1"}) {
      images_.push_back({.id = id,
                         .description = "",
                         .path = "/images/i.sif",
                         .sha256 = "",
                         .apps = {},
                         .mounts = {},
                         .environment = {}});
    }
  }
  Decision About(const JobSpec& spec) {
    return Check({.spec = spec,
                  .uid = Uid(20001),
                  .apps = &apps_,
                  .images = &images_,
                  .cluster = &cluster_,
                  .joined = joined_,
                  .environment_image = environment_image_,
                  .project = project_,
                  .account = "chem",
                  .templates = offer_});
  }
  // The fields of all violations, each of which must name the template.
  std::vector<std::string> Fields(const JobSpec& spec) {
    std::vector<std::string> fields;
    for (const Violation& violation : About(spec).violations) {
      CHECK(violation.source.text == "template Courses");
      fields.push_back(violation.field);
    }
    return fields;
  }

  std::vector<App> apps_;
  std::vector<Image> images_;
  SlurmSnapshot cluster_ = SmallCluster();
  std::optional<JoinedJob> joined_;
  std::string environment_image_;
  absl::Status project_;
  TemplateOffer offer_{.choices = {{Courses(), 0}}, .needed = true};
};

using Fields = std::vector<std::string>;

TEST_CASE("template: refuses values above its limits", "[policy]") {
  Asked asked;
  CHECK(asked.Fields({.gpus_per_node = 3}) == Fields{"gpusPerNode"});
  CHECK(asked.Fields({.gpus_per_node = 1, .gpu_type = "v100"}) ==
        Fields{"gpuType"});
  CHECK(asked.Fields({.nodes = 2}) == Fields{"nodes"});
  CHECK(asked.Fields({.walltime = absl::Minutes(31)}) == Fields{"walltime"});
  CHECK(asked.Fields({.gpus_per_node = 2, .cpus_per_node = 17}) ==
        Fields{"cpusPerNode"});
  // Without a GPU there is as much as with one.
  CHECK(asked.Fields({.cpus_per_node = 9}) == Fields{"cpusPerNode"});
  CHECK(asked.Fields({.gpus_per_node = 1, .memory_per_node_mib = 16385}) ==
        Fields{"memoryPerNodeMib"});
  CHECK(asked.Fields({.partition = "long"}) == Fields{"partition"});
  CHECK(asked.Fields({.image = "lab:2"}) == Fields{"image"});
  CHECK(asked.Fields({.qos = "high"}) == Fields{"qos"});
  CHECK(asked.About({.gpus_per_node = 3}).violations[0].message.text ==
        "job requests 3 GPUs on a node: template \"Courses\" allows at most 2");
  CHECK_THAT(StatusOf(asked.About({.gpus_per_node = 3}).violations),
             StatusIs(absl::StatusCode::kPermissionDenied));
}

TEST_CASE("template: limits the number of jobs at once", "[policy]") {
  Asked asked;
  asked.offer_.choices[0].jobs_now = 1;
  CHECK(asked.Fields({}).empty());
  asked.offer_.choices[0].jobs_now = 2;
  const Decision decision = asked.About({});
  REQUIRE(decision.violations.size() == 1);
  CHECK_THAT(StatusOf(decision.violations),
             StatusIs(absl::StatusCode::kResourceExhausted));
}

TEST_CASE("template: an array is as many jobs as run of it together",
          "[policy]") {
  Asked asked;
  const auto with = [](const std::string& array) {
    JobSpec spec;
    spec.batch = BatchSpec{.command = "true", .array = array};
    return spec;
  };
  CHECK(asked.Fields(with("0-9%2")).empty());
  const Decision many = asked.About(with("0-9%3"));
  REQUIRE(many.violations.size() == 1);
  CHECK(many.violations[0].field == "batch.array");
  CHECK(many.violations[0].refusal == Refusal::kForbidden);
  asked.offer_.choices[0].jobs_now = 1;
  const Decision later = asked.About(with("0-9%2"));
  REQUIRE(later.violations.size() == 1);
  CHECK(later.violations[0].refusal == Refusal::kExhausted);
  CHECK(asked.Fields(with("0-9%1")).empty());
}

TEST_CASE("template: an environment needs an image of the template's",
          "[policy]") {
  Asked asked;
  CHECK(asked.Fields({.environment = "torch"}) == Fields{"environment"});
  asked.environment_image_ = "lab:2";
  CHECK(asked.Fields({.environment = "torch"}) == Fields{"environment"});
  asked.environment_image_ = "base:1";
  CHECK(asked.Fields({.environment = "torch"}).empty());
}

TEST_CASE("template: one that is not among those offered is refused",
          "[policy]") {
  Asked asked;
  const Decision decision = asked.About({.job_template = "another"});
  REQUIRE(decision.violations.size() == 1);
  CHECK(decision.violations[0].field == "template");
  CHECK(decision.violations[0].message.text ==
        "template is not one for jobs without a project: expected one of: "
        "\"Courses\"");
  asked.offer_ = {};
  CHECK(asked.About({.job_template = "courses"}).violations.size() == 1);
  CHECK(asked.About({}).violations.empty());
}

TEST_CASE("template: refuses jobs if all are retired or unreadable",
          "[policy]") {
  Asked asked;
  asked.offer_ = {.needed = true};
  const Decision retired = asked.About({});
  REQUIRE(retired.violations.size() == 1);
  CHECK(retired.violations[0].refusal == Refusal::kForbidden);
  asked.offer_ = {.needed = true, .unknown = true};
  const Decision unknown = asked.About({});
  REQUIRE(unknown.violations.size() == 1);
  CHECK(unknown.violations[0].refusal == Refusal::kUnavailable);
}

TEST_CASE("template: templates of other projects are not disclosed",
          "[policy]") {
  Asked asked;
  asked.project_ = absl::NotFoundError("not yours");
  const Decision decision =
      asked.About({.gpus_per_node = 3, .project = "p", .job_template = "x"});
  REQUIRE(decision.violations.size() == 1);
  CHECK(decision.violations[0].message.text == "not yours");
}

TEST_CASE("template: refuses an invalid QOS also without a template",
          "[policy]") {
  Asked asked;
  asked.offer_ = {};
  CHECK(asked.About({.qos = "no rm -rf"}).violations.size() == 1);
  CHECK(asked.About({.qos = std::string(65, 'a')}).violations.size() == 1);
  CHECK(asked.About({.qos = "high"}).violations.empty());  // Slurm judges it
}

TEST_CASE("template: fills in its fixed values", "[policy]") {
  Asked asked;
  const Decision decision = asked.About({.gpus_per_node = 2});
  CHECK(decision.violations.empty());
  CHECK(decision.account == "teach");
  CHECK(decision.spec.job_template == "courses");
  CHECK(decision.spec.partition == "main");
  CHECK(decision.spec.gpu_type == "a100");
  CHECK(decision.spec.image == "base:1");
  CHECK(decision.spec.qos == "low");
  CHECK(decision.spec.walltime == absl::Minutes(30));
  CHECK(decision.spec.cpus_per_node == 16);
  CHECK(decision.spec.memory_per_node_mib == 32768);
  // The same again, complete as it is now, is right too.
  CHECK(asked.About(decision.spec).spec == decision.spec);
  CHECK(asked.About(decision.spec).violations.empty());
}

TEST_CASE("template: a default is not more than a node has", "[policy]") {
  Asked asked;
  asked.offer_.choices[0].job_template.cpus_per_gpu = 1000;
  asked.offer_.choices[0].job_template.memory_per_gpu_mib = 1 << 30;
  const Decision decision = asked.About({.gpus_per_node = 1});
  CHECK(decision.violations.empty());
  CHECK(decision.spec.cpus_per_node == 16);
  CHECK(decision.spec.memory_per_node_mib == 65536);
}

TEST_CASE("template: the first that the job fits is its default", "[policy]") {
  Asked asked;
  asked.offer_.choices.push_back({Cpus(), 0});
  CHECK(asked.About({}).spec.job_template == "courses");
  CHECK(asked.About({.partition = "long"}).spec.job_template == "cpus");
  CHECK(asked.About({.image = "lab:2"}).spec.job_template == "cpus");
  asked.offer_.choices[0].jobs_now = 2;
  CHECK(asked.About({}).spec.job_template == "cpus");
  asked.offer_.choices[0].jobs_now = 0;
  // It fits none: violations of the first.
  const Decision none =
      asked.About({.gpus_per_node = 1, .walltime = absl::Hours(5)});
  CHECK(none.spec.job_template == "courses");
  CHECK_FALSE(none.violations.empty());
  // Named, it is that one.
  const Decision cpus =
      asked.About({.gpus_per_node = 1, .job_template = "cpus"});
  REQUIRE_FALSE(cpus.violations.empty());
  CHECK(cpus.spec.job_template == "cpus");
}

TEST_CASE("template: linked jobs go by that of the job that they join",
          "[policy]") {
  Asked asked;
  asked.offer_.choices[0].job_template.max_nodes = 2;
  asked.joined_ = {.spec = {.image = "base:1", .job_template = "courses"},
                   .ready = true,
                   .nodes = {"a1"}};
  const Decision one = asked.About({.linked_to = "j"});
  CHECK(one.violations.empty());
  CHECK(one.spec.job_template == "courses");
  CHECK(asked.Fields({.nodes = 2, .linked_to = "j"}) == Fields{"nodes"});
  const Decision other =
      asked.About({.linked_to = "j", .job_template = "cpus"});
  REQUIRE_FALSE(other.violations.empty());
  CHECK(other.violations[0].field == "template");
}

TEST_CASE("template: without limits sets only its name", "[policy]") {
  Asked asked;
  asked.offer_ = {};
  const JobSpec spec{.gpus_per_node = 4, .gpu_type = "a100"};
  Decision before = asked.About(spec);
  asked.offer_ = {.choices = {{{.id = "free", .name = "Free"}, 0}},
                  .needed = true};
  const Decision after = asked.About(spec);
  CHECK(after.violations.empty());
  before.spec.job_template = "free";
  CHECK(after.spec == before.spec);
  CHECK(after.account == "chem");
}

}  // namespace
}  // namespace carme::backend
