#include "backend/policy/policy.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/backend/policy/clusters.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

const std::vector<App> kApps = {{.id = "jupyter",
                                 .name = "Jupyter",
                                 .icon = "app",
                                 .description = "",
                                 .command = {"jupyter"},
                                 .ready_path = "/",
                                 .environment = {}},
                                {.id = "code",
                                 .name = "VS Code",
                                 .icon = "app",
                                 .description = "",
                                 .command = {"code"},
                                 .ready_path = "/",
                                 .environment = {}}};
const std::vector<Image> kImages = {{.id = "base:1",
                                     .description = "",
                                     .path = "/images/base.sif",
                                     .sha256 = "",
                                     .apps = {},
                                     .mounts = {},
                                     .environment = {}},
                                    {.id = "notebooks:2",
                                     .description = "",
                                     .path = "/images/notebooks.sif",
                                     .sha256 = "",
                                     .apps = {"jupyter"},
                                     .mounts = {},
                                     .environment = {}}};

class Asked {
 public:
  Asked() : cluster_(SmallCluster()) {
    limits_ = {.max_gpus_per_job = 4,
               .max_running_jobs = 2,
               .max_walltime = absl::Hours(6)};
  }
  Decision About(const JobSpec& spec) {
    return Check({.spec = spec,
                  .uid = uid_,
                  .role = role_,
                  .limits = limits_,
                  .jobs_now = jobs_now_,
                  .apps = &apps_,
                  .images = &images_,
                  .cluster = &cluster_,
                  .environment = environment_,
                  .project = project_});
  }
  SlurmSnapshot cluster_;
  Uid uid_{20001};
  std::vector<App> apps_ = kApps;
  std::vector<Image> images_ = kImages;
  absl::Status environment_;
  absl::Status project_;
  Limits limits_;
  Role role_ = Role::kUser;
  int jobs_now_ = 0;
};

struct Row {
  JobSpec spec;
  absl::StatusCode code;
  const char* field;
  const char* limit;
  const char* value;
  const char* source;
  const char* message;
};

const Row kRefused[] = {
    {{.nodes = -1},
     absl::StatusCode::kInvalidArgument,
     "nodes",
     "least",
     "0",
     "carme",
     "nodes is -1: expected at least 0"},
    {{.gpus_per_node = INT32_MIN},
     absl::StatusCode::kInvalidArgument,
     "gpusPerNode",
     "least",
     "0",
     "carme",
     "gpusPerNode is -2147483648: expected at least 0"},
    {{.cpus_per_node = -3},
     absl::StatusCode::kInvalidArgument,
     "cpusPerNode",
     "least",
     "0",
     "carme",
     "cpusPerNode is -3: expected at least 0"},
    {{.memory_per_node_mib = -1},
     absl::StatusCode::kInvalidArgument,
     "memoryPerNodeMib",
     "least",
     "0",
     "carme",
     "memoryPerNodeMib is -1: expected at least 0"},
    {{.walltime = absl::Seconds(90)},
     absl::StatusCode::kInvalidArgument,
     "walltime",
     "walltime",
     "525600 min",
     "carme",
     "walltime is 1m30s: expected whole minutes"},
    {{.walltime = -absl::Minutes(1)},
     absl::StatusCode::kInvalidArgument,
     "walltime",
     "walltime",
     "525600 min",
     "carme",
     "walltime is negative: expected at least 1 min"},
    {{.walltime = absl::InfiniteDuration()},
     absl::StatusCode::kInvalidArgument,
     "walltime",
     "walltime",
     "525600 min",
     "carme",
     "walltime is more than a year: expected at most 365 days"},
    {{.name = "a\nb"},
     absl::StatusCode::kInvalidArgument,
     "name",
     "name",
     "64",
     "carme",
     "name contains a non-printable character: expected at most 64 printable "
     "characters"},
    {{.name = std::string(65, 'x')},
     absl::StatusCode::kInvalidArgument,
     "name",
     "name",
     "64",
     "carme",
     "name has 65 characters: expected at most 64 printable characters"},
    {{.description = "a\x1b[2Jb"},
     absl::StatusCode::kInvalidArgument,
     "description",
     "description",
     "200",
     "carme",
     "description contains a non-printable character: expected at most 200 "
     "printable characters"},
    {{.description = std::string(201, 'x')},
     absl::StatusCode::kInvalidArgument,
     "description",
     "description",
     "200",
     "carme",
     "description has 201 characters: expected at most 200 printable "
     "characters"},
    {{.app = "emacs"},
     absl::StatusCode::kInvalidArgument,
     "app",
     "apps",
     "\"jupyter\", \"code\"",
     "configuration",
     "app \"emacs\" is not offered: expected one of: \"jupyter\", \"code\""},
    {{.gpu_type = "a100"},
     absl::StatusCode::kInvalidArgument,
     "gpuType",
     "gpusPerNode",
     "1",
     "carme",
     "GPU type \"a100\" is given for 0 GPUs: expected at least 1"},
    {{.partition = "moon"},
     absl::StatusCode::kFailedPrecondition,
     "partition",
     "partitions",
     "\"main\", \"long\", \"off\"",
     "cluster",
     "partition \"moon\" is not on this cluster: expected one of: \"main\", "
     "\"long\", \"off\""},
    {{.partition = "off"},
     absl::StatusCode::kFailedPrecondition,
     "partition",
     "state",
     "down",
     "partition off",
     "partition \"off\" is down: expected one that is up"},
    {{.gpus_per_node = 1, .gpu_type = "h100"},
     absl::StatusCode::kFailedPrecondition,
     "gpuType",
     "gpu_types",
     "\"a100\", \"v100\"",
     "cluster",
     "GPU type \"h100\" is not on this cluster: expected one of: \"a100\", "
     "\"v100\""},
    {{.cpus_per_node = 65},
     absl::StatusCode::kFailedPrecondition,
     "cpusPerNode",
     "largest_node",
     "64",
     "partition main",
     "job requests 65 CPUs on a node: the largest node of partition \"main\" "
     "has "
     "64"},
    {{.memory_per_node_mib = INT64_MAX},
     absl::StatusCode::kFailedPrecondition,
     "memoryPerNodeMib",
     "largest_node",
     "262144",
     "partition main",
     "job requests 9223372036854775807 MiB of memory on a node: the largest "
     "node "
     "of partition \"main\" has 262144"},
    {{.nodes = 4},
     absl::StatusCode::kFailedPrecondition,
     "nodes",
     "nodes",
     "3",
     "partition main",
     "job requests 4 nodes of this size: partition \"main\" has 3"},
    {{.nodes = 2, .gpus_per_node = 1, .gpu_type = "v100"},
     absl::StatusCode::kFailedPrecondition,
     "nodes",
     "nodes",
     "1",
     "partition main",
     "job requests 2 nodes of this size: partition \"main\" has 1"},
    {{.nodes = 2, .gpus_per_node = 4, .gpu_type = "a100"},
     absl::StatusCode::kPermissionDenied,
     "gpusPerNode",
     "max_gpus_per_job",
     "4",
     "role user",
     "job requests 8 GPUs: role user allows at most 4 "
     "(max_gpus_per_job)"},
    {{.walltime = absl::Hours(7)},
     absl::StatusCode::kPermissionDenied,
     "walltime",
     "max_walltime_min",
     "360",
     "role user",
     "walltime is 420 min: role user allows at most 360 min "
     "(max_walltime_min)"},
};

TEST_CASE("policy: an environment that cannot be used is refused", "[policy]") {
  Asked asked;
  asked.environment_ = absl::InvalidArgumentError("it has a fault");
  const Decision faulty = asked.About({.environment = "torch"});
  REQUIRE(faulty.violations.size() == 1);
  CHECK(faulty.violations[0].field == "environment");
  CHECK(faulty.violations[0].refusal == Refusal::kInvalid);
  CHECK(faulty.violations[0].message.text == "it has a fault");
  asked.environment_ = absl::ResourceExhaustedError("nobody could look");
  const Decision unknown = asked.About({.environment = "torch"});
  REQUIRE(unknown.violations.size() == 1);
  CHECK(unknown.violations[0].refusal == Refusal::kUnavailable);
}

TEST_CASE("policy: a project that is not the user's is refused", "[policy]") {
  Asked asked;
  for (const absl::Status& status :
       {absl::NotFoundError("not yours"),
        absl::FailedPreconditionError("not yours")}) {
    asked.project_ = status;
    const Decision decision = asked.About({.project = "p"});
    REQUIRE(decision.violations.size() == 1);
    CHECK(decision.violations[0].field == "project");
    CHECK(decision.violations[0].refusal == Refusal::kForbidden);
    CHECK(decision.violations[0].message.text == "not yours");
  }
  // When in doubt, too, and without the database's words.
  asked.project_ = absl::InternalError("disk I/O error");
  const Decision unknown = asked.About({.project = "p"});
  REQUIRE(unknown.violations.size() == 1);
  CHECK(unknown.violations[0].refusal == Refusal::kUnavailable);
  CHECK(unknown.violations[0].message.text.find("disk") == std::string::npos);
  // Without an environment its status is ignored.
  CHECK(asked.About({}).violations.empty());
}

TEST_CASE("policy: an environment replaces the image", "[policy]") {
  Asked asked;
  asked.images_.clear();  // it needs none
  const Decision alone = asked.About({.app = "code", .environment = "torch"});
  CHECK(alone.violations.empty());
  CHECK(alone.spec.image.empty());
  CHECK(alone.spec.environment == "torch");
  const Decision both =
      asked.About({.image = "base:1", .environment = "torch"});
  REQUIRE(both.violations.size() == 1);
  CHECK(both.violations[0].message.text ==
        "image \"base:1\" cannot be combined with environment \"torch\": "
        "expected one "
        "of them");
}

TEST_CASE("policy: refuses with the limit, its value and its source",
          "[policy]") {
  for (const Row& row : kRefused) {
    INFO(row.message);
    const Decision decision = Asked().About(row.spec);
    REQUIRE(decision.violations.size() == 1);
    const Violation& found = decision.violations[0];
    CHECK(found.field == row.field);
    CHECK(found.limit == row.limit);
    CHECK(found.value == row.value);
    CHECK(found.source.text == row.source);
    CHECK(found.source.code.empty() == (found.source.text == "carme"));
    CHECK(found.message.text == row.message);
    CHECK_THAT(StatusOf(decision.violations), StatusIs(row.code));
    CHECK(StatusOf(decision.violations).message() == row.message);
  }
}

TEST_CASE("policy: gives every reason at once, the strongest code",
          "[policy]") {
  Asked asked;
  asked.jobs_now_ = 2;
  const Decision decision = asked.About(
      {.gpus_per_node = 9, .gpu_type = "a100", .walltime = absl::Hours(9)});
  std::vector<std::string> limits;
  for (const Violation& v : decision.violations) limits.push_back(v.limit);
  CHECK(limits == std::vector<std::string>{
                      "max_walltime", "largest_node", "max_gpus_per_job",
                      "max_walltime_min", "max_running_jobs"});
  CHECK_THAT(StatusOf(decision.violations),
             StatusIs(absl::StatusCode::kPermissionDenied));
}

TEST_CASE("policy: the largest numbers do not wrap around", "[policy]") {
  Asked asked;
  const Decision decision =
      asked.About({.nodes = INT32_MAX, .gpus_per_node = INT32_MAX});
  REQUIRE(decision.violations.size() == 2);
  CHECK(decision.violations[1].message.text ==
        "job requests 4611686014132420609 GPUs: role user allows at most 4 "
        "(max_gpus_per_job)");
}

TEST_CASE("policy: running jobs at the limit can wait", "[policy]") {
  Asked asked;
  asked.jobs_now_ = 2;
  const Decision decision = asked.About({});
  REQUIRE(decision.violations.size() == 1);
  CHECK(decision.violations[0].message.text ==
        "user has 2 jobs that have not ended: role user allows at most 2 "
        "(max_running_jobs)");
  CHECK_THAT(StatusOf(decision.violations),
             StatusIs(absl::StatusCode::kResourceExhausted));
  asked.jobs_now_ = 1;
  CHECK(asked.About({}).violations.empty());
}

TEST_CASE("policy: without apps nothing is allowed", "[policy]") {
  Asked asked;
  asked.apps_.clear();
  const Decision decision = asked.About({});
  REQUIRE_FALSE(decision.violations.empty());
  CHECK(decision.violations[0].message.text ==
        "app \"\" is not offered: expected one of: none");
}

TEST_CASE("policy: is UNAVAILABLE while Slurm is down", "[policy]") {
  Asked asked;
  asked.cluster_.reachable = false;
  CHECK_THAT(StatusOf(asked.About({}).violations),
             StatusIs(absl::StatusCode::kUnavailable));
  asked.cluster_ = SlurmSnapshot();  // and was never there
  CHECK_THAT(StatusOf(asked.About({}).violations),
             StatusIs(absl::StatusCode::kUnavailable));
}

TEST_CASE("policy: without a default partition one must be named", "[policy]") {
  Asked asked;
  asked.cluster_.partitions[0].is_default = false;
  const Decision decision = asked.About({});
  REQUIRE(decision.violations.size() == 1);
  CHECK(decision.violations[0].field == "partition");
  CHECK_THAT(StatusOf(decision.violations),
             StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_CASE("policy: fills in every default", "[policy]") {
  const Decision decision =
      Asked().About({.gpus_per_node = 2, .gpu_type = "a100"});
  CHECK(decision.violations.empty());
  CHECK(decision.spec == JobSpec{.name = "jupyter",
                                 .nodes = 1,
                                 .gpus_per_node = 2,
                                 .gpu_type = "a100",
                                 .cpus_per_node = 32,
                                 .memory_per_node_mib = 131072,
                                 .walltime = absl::Hours(1),
                                 .partition = "main",
                                 .app = "jupyter",
                                 .image = "base:1"});
}

TEST_CASE("policy: the default walltime stays within every limit", "[policy]") {
  Asked asked;
  asked.limits_.max_walltime = absl::Minutes(30);
  CHECK(asked.About({}).spec.walltime == absl::Minutes(30));
  asked.cluster_.partitions[0].max_walltime = absl::Seconds(1250);
  CHECK(asked.About({}).spec.walltime == absl::Minutes(20));
}

TEST_CASE("policy: accepts the values that it filled in", "[policy]") {
  Asked asked;
  for (const JobSpec& spec :
       {JobSpec{}, JobSpec{.gpus_per_node = 4}, JobSpec{.partition = "long"},
        JobSpec{.nodes = 2, .gpus_per_node = 2, .gpu_type = "a100"}}) {
    const Decision first = asked.About(spec);
    REQUIRE(first.violations.empty());
    const Decision second = asked.About(first.spec);
    CHECK(second.violations.empty());
    CHECK(second.spec == first.spec);
  }
}

TEST_CASE("policy: no limit means no limit", "[policy]") {
  Asked asked;
  asked.limits_ = Limits();
  asked.jobs_now_ = 1000;
  CHECK(asked.About({.gpus_per_node = 8}).violations.empty());
  CHECK(asked.About({.walltime = absl::Hours(24 * 365), .partition = "long"})
            .violations.empty());
}

TEST_CASE(
    "policy: an image that lacks the app is refused with those that have it",
    "[policy]") {
  Asked asked;
  JobSpec spec;
  spec.app = "code";
  spec.image = "notebooks:2";
  const Decision decision = asked.About(spec);
  REQUIRE(decision.violations.size() == 1);
  CHECK(decision.violations[0].field == "image");
  CHECK(decision.violations[0].message.text ==
        "image \"notebooks:2\" with app \"code\" is not offered: expected one "
        "of: \"base:1\"");
}

TEST_CASE("policy: the node's own system is refused where it is not offered",
          "[policy]") {
  Asked asked;
  JobSpec spec;
  spec.image = kNoImage;
  REQUIRE(asked.About(spec).violations.size() == 1);
  CHECK(asked.About(spec).violations[0].field == "image");
}

TEST_CASE("policy: the first image that has the app is the default",
          "[policy]") {
  Asked asked;
  CHECK(asked.About({}).spec.image == "base:1");
  std::swap(asked.images_[0], asked.images_[1]);
  CHECK(asked.About({}).spec.image == "notebooks:2");
  JobSpec spec;
  spec.app = "code";
  CHECK(asked.About(spec).spec.image == "base:1");
}

TEST_CASE(
    "policy: another user's image runs on one node, the user's on several",
    "[backend]") {
  Asked asked;
  asked.images_[0].owner = "bob";
  asked.images_[0].owner_uid = Uid(20002);
  const auto refused = asked.About({.nodes = 2}).violations;
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].field == "nodes");
  CHECK(asked.About({.nodes = 1}).violations.empty());
  asked.uid_ = Uid(20002);
  CHECK(asked.About({.nodes = 2}).violations.empty());
}

TEST_CASE("policy: a job that makes an image needs neither app nor image",
          "[backend]") {
  Asked asked;
  asked.apps_.clear();
  asked.images_.clear();
  const Decision decision =
      asked.About({.name = "image x:1", .builds = "ada/x:1"});
  CHECK(decision.violations.empty());
  CHECK(decision.spec.app.empty());
  CHECK(decision.spec.image.empty());
}

}  // namespace
}  // namespace carme::backend
