#include "backend/policy/limits/extension.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/policy/limits/messages.h"
#include "backend/policy/spec/limit_source.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kLongest = absl::Hours(24 * 365);

absl::Duration OfTemplate(const JobTemplate& job_template) {
  return job_template.max_extended_walltime > absl::ZeroDuration()
             ? job_template.max_extended_walltime
             : job_template.max_walltime;
}

std::string Minutes(absl::Duration duration) {
  return absl::StrCat(absl::ToInt64Minutes(duration), " min");
}

}  // namespace

const SlurmPartition* PartitionNamed(const SlurmSnapshot& cluster,
                                     std::string_view name) {
  for (const SlurmPartition& partition : cluster.partitions) {
    if (partition.name == name) return &partition;
  }
  return nullptr;
}

LongestWalltime LongestOf(const ExtensionInput& input) {
  LongestWalltime longest{input.site_longest, ConfigurationLimitSource()};
  const auto narrow = [&](absl::Duration max, DisplayText source) {
    if (max <= absl::ZeroDuration() || max >= longest.max) return;
    longest = {max, std::move(source)};
  };
  if (input.joined_longest && *input.joined_longest < longest.max) {
    longest = {*input.joined_longest,
               MakeText(policy_limit_messages::kSourceJoinedJob)};
  }
  narrow(input.limits.max_walltime, RoleLimitSource(input.role));
  if (input.job_template) {
    narrow(OfTemplate(*input.job_template),
           TemplateLimitSource(input.job_template->name));
  }
  if (input.partition == nullptr) return {{}, ClusterLimitSource()};
  if (input.partition->max_walltime) {
    narrow(*input.partition->max_walltime,
           PartitionLimitSource(input.partition->name));
  }
  if (input.accounting != nullptr) {
    // Returns an error for data that PrivateData hides from the backend.
    const absl::StatusOr<WalltimeLimit> slurm =
        MaxWalltimeFor(*input.accounting, input.slurm_job);
    if (slurm.ok() && slurm->max < longest.max) {
      longest = {slurm->max, slurm->source};
    }
  }
  return longest;
}

absl::Duration ExtendableBy(const ExtensionInput& input) {
  const absl::Duration by = LongestOf(input).max - input.walltime;
  return std::max(absl::ZeroDuration(), absl::Floor(by, absl::Minutes(1)));
}

absl::Status CheckExtension(const ExtensionInput& input, absl::Duration by) {
  if (by < absl::Minutes(1) || by > kLongest ||
      by % absl::Minutes(1) != absl::ZeroDuration()) {
    return MakeError(policy_limit_messages::kStepInvalid,
                     {{"by", absl::FormatDuration(by)},
                      {"max", absl::ToInt64Minutes(kLongest)}});
  }
  if (input.site_longest <= absl::ZeroDuration()) {
    return MakeError(policy_limit_messages::kNotOffered);
  }
  const LongestWalltime longest = LongestOf(input);
  if (input.walltime + by <= longest.max) return absl::OkStatus();
  return MakeError(policy_limit_messages::kLimitExceeded,
                   {{"walltime", Minutes(input.walltime + by)},
                    {"source", longest.source},
                    {"max", Minutes(longest.max)}});
}

}  // namespace carme::backend
