#include "backend/slurm/limits/walltime_limits.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "backend/slurm/limits/messages.h"
#include "common/message.h"

namespace carme {
namespace {

// Larger than any time limit; keeps products within 64 bits.
constexpr uint64_t kMaxMinutes = 1'000'000'000;

absl::Duration MinutesOf(uint64_t minutes) {
  return minutes >= kMaxMinutes ? absl::InfiniteDuration()
                                : absl::Minutes(static_cast<int64_t>(minutes));
}

uint64_t Difference(uint64_t max, uint64_t used) {
  return max > used ? max - used : 0;
}

class WalltimeLimiter {
 public:
  // `usage_factor`: how much a minute counts for group limits.
  WalltimeLimiter(const LimitedJob& job, double usage_factor)
      : job_(job), usage_factor_(usage_factor) {}

  void Add(const DisplayText& source, const std::vector<SlurmLimit>& limits) {
    for (const SlurmLimit& limit : limits) {
      const absl::Duration max = MaxWalltimeOf(limit);
      if (max < min_.max) min_ = {max, source};
    }
  }
  WalltimeLimit Result() { return std::move(min_); }

 private:
  absl::Duration MaxWalltimeOf(const SlurmLimit& limit) const {
    const uint64_t used = limit.used.value_or(0);
    const uint64_t reserved = limit.reserved.value_or(0);
    if (limit.name == "MaxWallDurationPerJob") return MinutesOf(limit.max);
    if (limit.name == "GrpWall") {
      return job_.walltime - job_.remaining +
             MinutesOf(Difference(limit.max, used));
    }
    if (limit.name == "MaxTRESMinsPerJob") {
      const std::optional<uint64_t> count = CountOf(limit.tres);
      if (count == 0) return absl::InfiniteDuration();
      return count ? MinutesOf(limit.max / *count) : absl::ZeroDuration();
    }
    // What running jobs may still use counts as used, including this job's part
    // up to its current time limit.
    if (limit.name == "GrpTRESMins") {
      return job_.walltime +
             MoreOf(limit.tres, Difference(limit.max, used + reserved));
    }
    if (limit.name == "GrpTRESRunMins") {
      return job_.walltime + MoreOf(limit.tres, Difference(limit.max, used));
    }
    return absl::InfiniteDuration();
  }

  // How much longer the job can run with `left`.
  absl::Duration MoreOf(const std::string& tres, uint64_t left) const {
    const std::optional<uint64_t> count = CountOf(tres);
    if (!count) return absl::ZeroDuration();
    const double each = static_cast<double>(*count) * usage_factor_;
    if (each <= 0) return absl::InfiniteDuration();
    const double minutes = std::floor(static_cast<double>(left) / each);
    return minutes >= static_cast<double>(kMaxMinutes)
               ? absl::InfiniteDuration()
               : MinutesOf(static_cast<uint64_t>(minutes));
  }

  std::optional<uint64_t> CountOf(const std::string& tres) const {
    if (!job_.tres) return std::nullopt;
    const auto found = job_.tres->find(tres);
    return found == job_.tres->end() ? 0 : found->second;
  }

  const LimitedJob& job_;
  const double usage_factor_;
  WalltimeLimit min_;
};

// The user's association; one for the partition takes precedence.
const SlurmAssociation* FindOwnAssociation(const SlurmAccounting& accounting,
                                           const LimitedJob& job) {
  for (const SlurmAssociation& row : accounting.associations) {
    if (row.account == job.account && !row.user.empty() && row.uid == job.uid &&
        !row.partition.empty() && row.partition == job.partition) {
      return &row;
    }
  }
  return accounting.FindOf(job.account, job.uid);
}

DisplayText SourceOf(const SlurmAssociation& own) {
  return own.partition.empty()
             ? MakeText(slurm_limit_messages::kSourceUser,
                        {{"user", own.user}, {"account", own.account}})
             : MakeText(slurm_limit_messages::kSourceUserInPartition,
                        {{"user", own.user},
                         {"account", own.account},
                         {"partition", own.partition}});
}

}  // namespace

absl::StatusOr<WalltimeLimit> MaxWalltimeFor(const SlurmAccounting& accounting,
                                             const LimitedJob& job) {
  std::vector<const SlurmQos*> all_qos;
  for (const std::string& name : {job.qos, job.partition_qos}) {
    if (name.empty()) continue;
    const SlurmQos* qos = accounting.FindQos(name);
    if (qos == nullptr) {
      return MakePlainError(slurm_limit_messages::kQosMissing,
                            {{"name", name}});
    }
    all_qos.push_back(qos);
  }
  const SlurmQos* own_qos = job.qos.empty() ? nullptr : all_qos.front();
  WalltimeLimiter limiter(job, own_qos == nullptr ? 1 : own_qos->usage_factor);
  for (const SlurmQos* qos : all_qos) {
    limiter.Add(
        MakeText(slurm_limit_messages::kSourceQos, {{"qos", qos->name}}),
        qos->limits);
  }
  const SlurmAssociation* own = FindOwnAssociation(accounting, job);
  if (own == nullptr) {
    return MakePlainError(slurm_limit_messages::kAssociationMissing,
                          {{"name", job.account}});
  }
  limiter.Add(SourceOf(*own), own->limits);
  std::set<std::string> seen;  // protects against a cycle
  for (std::string account = own->account;
       !account.empty() && seen.insert(account).second;) {
    const SlurmAssociation* above = accounting.Find(account, "");
    if (above == nullptr) {
      return MakePlainError(slurm_limit_messages::kAccountMissing,
                            {{"name", account}});
    }
    limiter.Add(
        MakeText(slurm_limit_messages::kSourceAccount, {{"account", account}}),
        above->limits);
    account = above->parent;
  }
  return limiter.Result();
}

std::optional<TresCounts> ParseTres(std::string_view text) {
  const absl::string_view all(text.data(), text.size());
  if (all.empty()) return std::nullopt;  // every running job has TRES
  TresCounts counts;
  for (const absl::string_view part :
       absl::StrSplit(all, ',', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> sides =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    const auto& [name, value] = sides;
    absl::string_view digits = value;
    // Memory is in MiB; other counts have no unit.
    const bool is_memory = name == "mem";
    double unit = 1;
    if (!digits.empty() && absl::ascii_isalpha(digits.back())) {
      const absl::string_view units = "KMGTP";
      const size_t power = units.find(absl::ascii_toupper(digits.back()));
      if (power == absl::string_view::npos) return std::nullopt;
      unit =
          std::pow(1024.0, static_cast<double>(power) + (is_memory ? -1 : 1));
      digits.remove_suffix(1);
    }
    double count = 0;
    if (name.empty() || !absl::SimpleAtod(digits, &count) ||
        !std::isfinite(count) || count < 0 || count * unit > 1e15) {
      return std::nullopt;
    }
    counts[std::string(name)] = static_cast<uint64_t>(std::ceil(count * unit));
  }
  return counts;
}

}  // namespace carme
