#include "backend/policy/limits/extension.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

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
  LongestWalltime longest{input.site_longest, "configuration"};
  const auto narrow = [&](absl::Duration max, std::string source) {
    if (max <= absl::ZeroDuration() || max >= longest.max) return;
    longest = {max, std::move(source)};
  };
  if (input.joined_longest && *input.joined_longest < longest.max) {
    longest = {*input.joined_longest, "the job that it joins"};
  }
  narrow(input.limits.max_walltime, std::string(LimitsSource(input.role)));
  if (input.job_template) {
    narrow(OfTemplate(*input.job_template),
           absl::StrCat("template ", input.job_template->name));
  }
  if (input.partition == nullptr) return {{}, "cluster"};
  if (input.partition->max_walltime) {
    narrow(*input.partition->max_walltime,
           absl::StrCat("partition ", input.partition->name));
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
    return absl::InvalidArgumentError(absl::StrCat(
        "by is ", absl::FormatDuration(by), ": expected whole minutes, 1 to ",
        absl::ToInt64Minutes(kLongest)));
  }
  if (input.site_longest <= absl::ZeroDuration()) {
    return absl::PermissionDeniedError("extensions are not offered here");
  }
  const LongestWalltime longest = LongestOf(input);
  if (input.walltime + by <= longest.max) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat("walltime would be ", Minutes(input.walltime + by), ": ",
                   longest.source, " allows at most ", Minutes(longest.max)));
}

}  // namespace carme::backend
