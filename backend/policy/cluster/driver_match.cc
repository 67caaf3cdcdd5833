#include "backend/policy/cluster/driver_match.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "backend/policy/cluster/capacity.h"
#include "backend/policy/cluster/messages.h"
#include "backend/policy/spec/limit_source.h"
#include "common/message.h"

namespace carme::backend {
namespace {

constexpr size_t kLongestVersion = 32;
constexpr size_t kMaxShown = 5;

// Empty: not a version.
std::vector<uint64_t> NumbersOf(std::string_view text) {
  std::vector<uint64_t> numbers;
  if (text.size() > kLongestVersion) return {};
  const absl::string_view all(text.data(), text.size());
  for (const absl::string_view part : absl::StrSplit(all, '.')) {
    uint64_t number = 0;
    const bool digits = std::all_of(
        part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!digits || !absl::SimpleAtoi(part, &number)) return {};
    numbers.push_back(number);
  }
  return numbers;
}

struct DriverRequirement {
  const char* limit;  // the name in Violation
  std::string SlurmNode::*found;
  const std::string& needed;
};

bool Meets(const SlurmNode& node, const DriverRequirement& need) {
  return need.needed.empty() || IsAtLeast(node.*need.found, need.needed);
}

DisplayText MismatchText(const JobSpec& spec, const Image& image,
                         const DriverRequirement& need,
                         const std::vector<const SlurmNode*>& nodes) {
  std::set<std::string> versions;
  bool any_unknown = false;
  for (const SlurmNode* node : nodes) {
    const std::string& version = node->*need.found;
    any_unknown = any_unknown || version.empty();
    if (!version.empty()) versions.insert(absl::StrCat("\"", version, "\""));
  }
  if (versions.empty()) {
    return MakeText(policy_cluster_messages::kVersionUnknown,
                    {{"partition", spec.partition},
                     {"component", need.limit},
                     {"image", image.id},
                     {"needed", need.needed}});
  }
  std::vector<std::string> shown(versions.begin(), versions.end());
  if (shown.size() > kMaxShown) {
    shown.resize(kMaxShown);
    shown.push_back("…");
  }
  const TextTemplate& message =
      any_unknown ? policy_cluster_messages::kVersionTooOldOrUnknown
                  : policy_cluster_messages::kVersionTooOld;
  return MakeText(message, {{"partition", spec.partition},
                            {"component", need.limit},
                            {"versions", absl::StrJoin(shown, ", ")},
                            {"image", image.id},
                            {"needed", need.needed}});
}

Violation Mismatch(const JobSpec& spec, const Image& image,
                   const DriverRequirement& need,
                   const std::vector<const SlurmNode*>& nodes) {
  return {Refusal::kImpossible,
          "image",
          need.limit,
          need.needed,
          ImageLimitSource(image.id),
          MismatchText(spec, image, need, nodes)};
}

}  // namespace

bool IsVersion(std::string_view text) { return !NumbersOf(text).empty(); }

bool IsAtLeast(std::string_view found, std::string_view needed) {
  const std::vector<uint64_t> have = NumbersOf(found);
  return !have.empty() && have >= NumbersOf(needed);
}

DriverMatch MatchDriver(const JobSpec& spec, const Image& image,
                        const std::vector<const SlurmNode*>& nodes) {
  const DriverRequirement needs[] = {
      {"driver", &SlurmNode::driver, image.driver},
      {"cuda", &SlurmNode::cuda, image.cuda}};
  if (spec.gpus_per_node <= 0 || (image.driver.empty() && image.cuda.empty())) {
    return {.nodes = nodes, .excluded = {}, .violations = {}};
  }
  DriverMatch match;
  std::vector<const SlurmNode*> with_gpus;
  for (const SlurmNode* node : nodes) {
    if (GpusOf(*node, spec.gpu_type) > 0) with_gpus.push_back(node);
    if (Meets(*node, needs[0]) && Meets(*node, needs[1])) {
      match.nodes.push_back(node);
    } else {
      match.excluded.push_back(node->name);
    }
  }
  std::sort(match.excluded.begin(), match.excluded.end());
  const bool any = std::any_of(
      match.nodes.begin(), match.nodes.end(),
      [&](const SlurmNode* node) { return GpusOf(*node, spec.gpu_type) > 0; });
  // If no node has such GPUs, another check reports it.
  if (any || with_gpus.empty()) return match;
  for (const DriverRequirement& need : needs) {
    const bool met =
        std::all_of(with_gpus.begin(), with_gpus.end(),
                    [&](const SlurmNode* node) { return Meets(*node, need); });
    if (!met)
      match.violations.push_back(Mismatch(spec, image, need, with_gpus));
  }
  return match;
}

}  // namespace carme::backend
