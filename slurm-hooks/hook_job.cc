#include "slurm-hooks/hook_job.h"

#include <cstdint>
#include <cstdlib>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "slurm-hooks/constraint.h"

namespace carme::hooks {
namespace {

absl::StatusOr<uint32_t> ReadNumber(const char* name) {
  const char* text = std::getenv(name);
  uint32_t number = 0;
  if (text == nullptr || !absl::SimpleAtoi(text, &number)) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is \"", text == nullptr ? "" : text,
                     "\": expected a number from slurmd"));
  }
  return number;
}

std::string_view Constraints() {
  const char* text = std::getenv("SLURM_JOB_CONSTRAINTS");
  return text == nullptr ? "" : text;
}

}  // namespace

bool MayBeCarmes() { return !Constraints().empty(); }

absl::StatusOr<std::optional<HookJob>> ReadHookJob(std::string_view feature) {
  if (!NamesFeature(Constraints(), feature)) return std::nullopt;
  ASSIGN_OR_RETURN(const uint32_t id, ReadNumber("SLURM_JOB_ID"));
  ASSIGN_OR_RETURN(const uint32_t uid, ReadNumber("SLURM_JOB_UID"));
  if (uid == 0) {
    return absl::PermissionDeniedError(
        absl::StrCat("job ", id, " is root's: Carme has no jobs of root"));
  }
  return HookJob{SlurmJobId(id), Uid(uid)};
}

}  // namespace carme::hooks
