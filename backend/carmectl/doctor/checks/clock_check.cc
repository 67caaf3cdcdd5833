// The clock of this host, compared with those of the hosts of the frontend, the
// proxy and slurmctld. gRPC has no time in its responses, so the backend's host
// compares them, and nodes compare with slurmctld's.
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "backend/carmectl/doctor/checks/messages.h"
#include "backend/carmectl/doctor/host/check.h"
#include "backend/carmectl/doctor/host/peer_connection.h"
#include "common/status.h"

namespace carme::carmectl {
namespace {

constexpr absl::Duration kClockDiffers = absl::Seconds(5);
constexpr absl::Duration kClockDiffersMuch = absl::Seconds(60);

constexpr FindingKind kClockUnsynchronized{
    "clock-unsynchronized", Severity::kWarning,
    "Second factors, MUNGE and certificates need clocks that agree."};
constexpr FindingKind kClockSkew{
    "clock-skew", Severity::kWarning,
    "Beyond 30 seconds second factors are refused."};
constexpr FindingKind kClockWrong{
    "clock-wrong", Severity::kError,
    "Second factors, access grants and MUNGE credentials are refused."};
constexpr FindingKind kClockNotCompared{
    "clock-not-compared", Severity::kNote,
    "The other host's clock is unknown from here."};

// slurmctld's time as scontrol prints it, when asked for partitions.
absl::StatusOr<absl::Time> SlurmTime(const Host& host) {
  ASSIGN_OR_RETURN(const ToolResult shown,
                   host.RunScontrol({"-v", "show", "partitions"}));
  const std::string text = shown.output + shown.error;
  const std::string key = "last_update_time=";
  const size_t at = text.find(key);
  absl::Time time;
  std::string error;
  if (at == std::string::npos ||
      !absl::ParseTime("%Y-%m-%d%ET%H:%M:%S", text.substr(at + key.size(), 19),
                       &time, &error)) {
    return MakePlainError(host_check_messages::kNoControllerTime);
  }
  return time;
}

std::string PortalAddress(const std::string& url) {
  const std::string scheme = "https://";
  if (url.rfind(scheme, 0) != 0) return url;
  return url.substr(scheme.size(),
                    url.find('/', scheme.size()) - scheme.size());
}

// An app's address of no job: the proxy responds itself.
std::string JobAddress(const BackendSettings& settings) {
  if (!settings.jobs_host.empty()) return settings.jobs_host;
  return settings.jobs_domain.empty()
             ? ""
             : absl::StrCat("carme-doctor.", settings.jobs_domain);
}

class ClockCheck : public Check {
 public:
  CheckInfo info() const override {
    return {"clock",
            "this clock is synchronized and agrees with those of the proxy, "
            "the frontend and slurmctld",
            {HostRole::kProxy, HostRole::kFrontend, HostRole::kBackend,
             HostRole::kNode},
            {kClockUnsynchronized, kClockSkew, kClockWrong, kClockNotCompared}};
  }

  std::vector<Finding> Run(const Host& host) const override {
    std::vector<Finding> findings;
    if (host.options().clock_synchronized == false) {
      findings.push_back(
          {kClockUnsynchronized,
           FormatMessage(host_check_messages::kNoTimeService),
           FormatMessage(host_check_messages::kNoTimeServiceRemedy)});
    }
    if (host.Has(HostRole::kBackend) || host.Has(HostRole::kNode)) {
      Compare("slurmctld's clock", SlurmTime(host), host, &findings);
    }
    if (host.backend() && !host.backend()->portal_url.empty()) {
      const std::string portal = PortalAddress(host.backend()->portal_url);
      Compare("the clock of the frontend's host",
              FetchHttpsDate(portal, portal, host.resolver()), host, &findings);
      const std::string job = JobAddress(*host.backend());
      if (!job.empty()) {
        Compare("the clock of the proxy's host",
                FetchHttpsDate(portal, job, host.resolver()), host, &findings);
      }
    }
    return findings;
  }

 private:
  static void Compare(const std::string& name,
                      const absl::StatusOr<absl::Time>& other, const Host& host,
                      std::vector<Finding>* findings) {
    if (!other.ok()) {
      findings->push_back(
          {kClockNotCompared,
           absl::StrCat(name, ": ", other.status().message()),
           FormatMessage(host_check_messages::kCompareClocksRemedy)});
      return;
    }
    const absl::Duration difference = *other - host.options().now;
    const absl::Duration skew = absl::AbsDuration(difference);
    if (skew <= kClockDiffers) return;
    findings->push_back(
        {skew > kClockDiffersMuch ? kClockWrong : kClockSkew,
         FormatMessage(difference > absl::ZeroDuration()
                           ? host_check_messages::kClockAhead
                           : host_check_messages::kClockBehind,
                       {{"clock", name},
                        {"skew", absl::FormatDuration(
                                     absl::Trunc(skew, absl::Seconds(1)))}}),
         FormatMessage(host_check_messages::kClockRemedy)});
  }
};

}  // namespace

std::unique_ptr<Check> MakeClockCheck() {
  return std::make_unique<ClockCheck>();
}

}  // namespace carme::carmectl
