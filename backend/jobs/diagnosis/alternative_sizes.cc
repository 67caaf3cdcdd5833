#include "backend/jobs/diagnosis/alternative_sizes.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "backend/jobs/diagnosis/messages.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kShortest = absl::Minutes(10);

// One less, half, one: distinct and descending.
std::vector<int> Fewer(int number) {
  std::vector<int> fewer;
  for (const int next : {number - 1, number / 2, 1}) {
    if (next >= 1 && next < number &&
        std::find(fewer.begin(), fewer.end(), next) == fewer.end()) {
      fewer.push_back(next);
    }
  }
  std::sort(fewer.rbegin(), fewer.rend());
  return fewer;
}

DisplayText FewerGpus(int gpus, int asked) {
  return gpus == 1 ? MakeText(job_diagnosis_messages::kAlternativeOneGpu,
                              {{"asked", asked}})
                   : MakeText(job_diagnosis_messages::kAlternativeGpus,
                              {{"gpus", gpus}, {"asked", asked}});
}

DisplayText FewerNodes(int nodes, int asked) {
  return nodes == 1 ? MakeText(job_diagnosis_messages::kAlternativeOneNode,
                               {{"asked", asked}})
                    : MakeText(job_diagnosis_messages::kAlternativeNodes,
                               {{"nodes", nodes}, {"asked", asked}});
}

}  // namespace

std::vector<AlternativeSize> AlternativeSizes(const JobSpec& asked,
                                              const JobSpec& filled) {
  JobSpec base = asked;
  base.nodes = filled.nodes;
  base.gpus_per_node = filled.gpus_per_node;
  base.walltime = filled.walltime;
  std::vector<AlternativeSize> shapes;
  for (const int gpus : Fewer(filled.gpus_per_node)) {
    shapes.push_back({base, FewerGpus(gpus, filled.gpus_per_node)});
    shapes.back().spec.gpus_per_node = gpus;
  }
  for (const int nodes : Fewer(filled.nodes)) {
    shapes.push_back({base, FewerNodes(nodes, filled.nodes)});
    shapes.back().spec.nodes = nodes;
  }
  for (const int part : {2, 4}) {
    const absl::Duration shorter =
        absl::Floor(filled.walltime / part, absl::Minutes(5));
    if (shorter < kShortest) break;
    shapes.push_back({base, MakeText(job_diagnosis_messages::kAlternativeTime,
                                     {{"time", RoughTime(shorter)},
                                      {"asked", RoughTime(filled.walltime)}})});
    shapes.back().spec.walltime = shorter;
  }
  return shapes;
}

std::string RoughTime(absl::Duration time) {
  const int64_t minutes = absl::ToInt64Minutes(
      absl::Ceil(std::max(time, absl::Minutes(1)), absl::Minutes(1)));
  const int64_t days = minutes / (24 * 60);
  const int64_t hours = minutes / 60 % 24;
  const int64_t rest = minutes % 60;
  if (days > 0) {
    return absl::StrCat(
        days, " d", hours > 0 ? absl::StrCat(" ", hours, " h") : std::string());
  }
  if (hours == 0) return absl::StrCat(rest, " min");
  return absl::StrCat(
      hours, " h", rest > 0 ? absl::StrCat(" ", rest, " min") : std::string());
}

}  // namespace carme::backend
