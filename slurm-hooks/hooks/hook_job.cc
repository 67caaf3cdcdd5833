#include "slurm-hooks/hooks/hook_job.h"

#include <cstdint>
#include <cstdlib>

#include "absl/strings/numbers.h"
#include "common/status.h"
#include "slurm-hooks/hooks/messages.h"

namespace carme::hooks {
namespace {

constexpr std::string_view kBetweenFeatures = "&|[](),";

// `gpu*2` is two nodes with the feature `gpu`.
std::string_view WithoutCount(std::string_view word) {
  return word.substr(0, word.find('*'));
}

}  // namespace

bool NamesFeature(std::string_view constraints, std::string_view feature) {
  if (feature.empty()) return false;
  while (!constraints.empty()) {
    const size_t end = constraints.find_first_of(kBetweenFeatures);
    if (WithoutCount(constraints.substr(0, end)) == feature) return true;
    if (end == std::string_view::npos) return false;
    constraints.remove_prefix(end + 1);
  }
  return false;
}

namespace {

absl::StatusOr<uint32_t> ReadNumber(const char* name) {
  const char* text = std::getenv(name);
  uint32_t number = 0;
  if (text == nullptr || !absl::SimpleAtoi(text, &number)) {
    return MakePlainError(
        hook_messages::kNotANumber,
        {{"name", name}, {"value", text == nullptr ? "" : text}});
  }
  return number;
}

std::string_view Constraints() {
  const char* text = std::getenv("SLURM_JOB_CONSTRAINTS");
  return text == nullptr ? "" : text;
}

}  // namespace

bool HasConstraints() { return !Constraints().empty(); }

absl::StatusOr<std::optional<HookJob>> ReadHookJob(std::string_view feature) {
  if (!NamesFeature(Constraints(), feature)) return std::nullopt;
  ASSIGN_OR_RETURN(const uint32_t id, ReadNumber("SLURM_JOB_ID"));
  ASSIGN_OR_RETURN(const uint32_t uid, ReadNumber("SLURM_JOB_UID"));
  if (uid == 0) {
    return MakePlainError(hook_messages::kJobOfRoot, {{"job", id}});
  }
  return HookJob{SlurmJobId(id), Uid(uid)};
}

}  // namespace carme::hooks
