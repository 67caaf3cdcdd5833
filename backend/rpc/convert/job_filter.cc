#include "backend/rpc/convert/job_filter.h"

#include "absl/strings/str_cat.h"
#include "backend/rpc/convert/messages.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {

absl::Status CheckJobFilter(const v1::JobFilter& filter) {
  for (const int state : filter.states()) {
    if (!v1::JobState_IsValid(state) || state == v1::JOB_STATE_UNSPECIFIED) {
      return MakeError(rpc_convert_messages::kJobFilterStateInvalid,
                       {{"state", state}});
    }
  }
  return CheckSearch("filter.search", filter.search());
}

bool Matches(const v1::JobFilter& filter, const Job& job) {
  const auto is = [](const std::string& wanted, const std::string& found) {
    return wanted.empty() || wanted == found;
  };
  const auto state = static_cast<int>(job.state);
  if (!filter.states().empty() &&
      std::find(filter.states().begin(), filter.states().end(), state) ==
          filter.states().end()) {
    return false;
  }
  return is(filter.project(), job.spec.project) &&
         is(filter.partition(), job.spec.partition) &&
         is(filter.owner(), job.owner) &&
         (ContainsText(job.spec.name, filter.search()) ||
          ContainsText(job.id.value(), filter.search()) ||
          ContainsText(absl::StrCat(job.slurm_id.value()), filter.search()));
}

std::string JobPageKey(const Job& job) {
  const auto micros = static_cast<uint64_t>(absl::ToUnixMicros(job.created_at));
  return DescendingKey(micros) + job.id.value();
}

}  // namespace carme::backend
