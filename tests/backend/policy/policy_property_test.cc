// What must hold for every answer of the policy, over random questions from a
// seed: most numbers are near a bound.
#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "backend/policy/policy.h"
#include "tests/backend/policy/clusters.h"

namespace carme::backend {
namespace {

class Dice {
 public:
  template <typename T>
  T OneOf(const std::vector<T>& values) {
    return values[engine_() % values.size()];
  }
  int Number() {
    return OneOf<int>({INT32_MIN, -1, 0, 0, 0, 1, 1, 2, 3, 4, 5, 8, 16, 64, 65,
                       1 << 16, INT32_MAX});
  }
  JobSpec Spec() {
    JobSpec spec;
    spec.name = OneOf<std::string>({"", "", "my job", "a\nb"});
    spec.nodes = Number();
    spec.gpus_per_node = Number();
    spec.gpu_type = OneOf<std::string>({"", "", "a100", "v100", "none"});
    spec.cpus_per_node = Number();
    spec.memory_per_node_mib =
        OneOf<int64_t>({0, 0, 1, 4096, 262144, INT64_MAX, INT64_MIN});
    spec.walltime = OneOf<absl::Duration>(
        {absl::ZeroDuration(), absl::Minutes(1), absl::Hours(6), absl::Hours(8),
         absl::Seconds(1), absl::InfiniteDuration(),
         -absl::InfiniteDuration()});
    spec.partition =
        OneOf<std::string>({"", "", "main", "long", "off", "none"});
    spec.app = OneOf<std::string>({"", "", "jupyter", "none"});
    return spec;
  }

 private:
  std::mt19937 engine_{20261121};
};

bool IsComplete(const JobSpec& spec) {
  return !spec.name.empty() && spec.nodes >= 1 && spec.gpus_per_node >= 0 &&
         spec.cpus_per_node >= 1 && spec.memory_per_node_mib >= 1 &&
         spec.walltime >= absl::Minutes(1) &&
         spec.walltime % absl::Minutes(1) == absl::ZeroDuration() &&
         !spec.partition.empty() && !spec.app.empty();
}

TEST_CASE("policy: each allowed job is complete and within the limits",
          "[policy]") {
  Dice dice;
  const SlurmSnapshot cluster = SmallCluster();
  const std::vector<App> apps = {{.id = "jupyter",
                                  .name = "Jupyter",
                                  .icon = "app",
                                  .description = "",
                                  .command = {"jupyter"},
                                  .ready_path = "/",
                                  .environment = {}}};
  const std::vector<Image> images = {{.id = kNoImage,
                                      .description = "",
                                      .path = "",
                                      .sha256 = "",
                                      .apps = {},
                                      .mounts = {},
                                      .environment = {}}};
  const Limits limits = {.max_gpus_per_job = 4,
                         .max_running_jobs = 2,
                         .max_walltime = absl::Hours(6)};
  int allowed = 0;
  for (int i = 0; i < 200'000; ++i) {
    const PolicyInput input = {.spec = dice.Spec(),
                               .limits = limits,
                               .jobs_now = dice.OneOf<int>({0, 1, 2}),
                               .apps = &apps,
                               .images = &images,
                               .cluster = &cluster};
    const Decision decision = Check(input);
    if (!decision.violations.empty()) {
      if (StatusOf(decision.violations).ok()) FAIL("refused with OK");
      continue;
    }
    ++allowed;
    const JobSpec& spec = decision.spec;
    if (!IsComplete(spec) || spec.nodes * spec.gpus_per_node > 4 ||
        spec.walltime > absl::Hours(6) || input.jobs_now > 1) {
      FAIL("allowed: " << spec.nodes << " × " << spec.gpus_per_node);
    }
  }
  CHECK(allowed > 100);
}

}  // namespace
}  // namespace carme::backend
