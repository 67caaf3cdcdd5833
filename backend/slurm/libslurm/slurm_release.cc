#include "backend/slurm/libslurm/slurm_release.h"

#include <algorithm>
#include <array>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backend/slurm/libslurm/messages.h"
#include "common/message.h"

namespace carme {
namespace {

// Releases were nine months apart; from 23.11 on they are six months apart.
constexpr std::array<SlurmRelease, 4> kEarlyReleases = {
    {{20, 11}, {21, 8}, {22, 5}, {23, 2}}};
constexpr int kFirstProtocol = 36;
constexpr SlurmRelease kFirstRegular = {23, 11};
constexpr int kFirstRegularProtocol = 40;
constexpr int kMonthsApart = 6;

// Releases from this one on accept messages of three releases before.
constexpr SlurmRelease kAcceptsThreeBack = {24, 11};

int MonthsOf(const SlurmRelease& release) {
  return release.year * 12 + release.month - 1;
}

}  // namespace

std::optional<SlurmRelease> ParseSlurmRelease(std::string_view version) {
  const std::vector<std::string> parts = absl::StrSplit(
      absl::string_view(version.data(), version.size()), absl::ByAnyChar(".-"));
  SlurmRelease release;
  if (parts.size() < 2 || !absl::SimpleAtoi(parts[0], &release.year) ||
      !absl::SimpleAtoi(parts[1], &release.month) || release.year < 2 ||
      release.year > 99 || release.month < 1 || release.month > 12) {
    return std::nullopt;
  }
  return release;
}

std::string ToText(const SlurmRelease& release) {
  return absl::StrCat(absl::Dec(release.year, absl::kZeroPad2), ".",
                      absl::Dec(release.month, absl::kZeroPad2));
}

std::optional<int> ProtocolOf(const SlurmRelease& release) {
  if (release >= kFirstRegular) {
    const int months = MonthsOf(release) - MonthsOf(kFirstRegular);
    if (months % kMonthsApart != 0) return std::nullopt;
    return kFirstRegularProtocol + months / kMonthsApart;
  }
  const auto* const found =
      std::find(kEarlyReleases.begin(), kEarlyReleases.end(), release);
  if (found == kEarlyReleases.end()) return std::nullopt;
  return kFirstProtocol + static_cast<int>(found - kEarlyReleases.begin());
}

std::optional<SlurmRelease> ReleaseOfProtocol(int protocol) {
  if (protocol < kFirstProtocol || protocol > UINT8_MAX) return std::nullopt;
  if (protocol < kFirstRegularProtocol) {
    return kEarlyReleases.at(static_cast<size_t>(protocol - kFirstProtocol));
  }
  const int months = MonthsOf(kFirstRegular) +
                     (protocol - kFirstRegularProtocol) * kMonthsApart;
  return SlurmRelease{months / 12, months % 12 + 1};
}

bool WorksWith(const SlurmRelease& libslurm, const SlurmRelease& slurmctld) {
  const std::optional<int> ours = ProtocolOf(libslurm);
  const std::optional<int> theirs = ProtocolOf(slurmctld);
  if (!ours.has_value() || !theirs.has_value()) return false;
  const int releases_back = slurmctld >= kAcceptsThreeBack ? 3 : 2;
  return *ours <= *theirs && *theirs - *ours <= releases_back;
}

std::string MismatchText(std::string_view libslurm_version,
                         const std::optional<SlurmRelease>& slurmctld) {
  const std::string version(libslurm_version);
  if (!slurmctld.has_value()) {
    return FormatMessage(libslurm_messages::kReleaseTooOld,
                         {{"version", version}});
  }
  const std::string release = ToText(*slurmctld);
  return FormatMessage(libslurm_messages::kReleaseMismatch,
                       {{"release", release}, {"version", version}});
}

}  // namespace carme
