#include "proxy/standing.h"

#include "carme/v1/standing.pb.h"
#include "common/printable.h"

namespace carme::proxy {
namespace {

constexpr size_t kMostReason = 400;
constexpr int kMostApps = 32;

}  // namespace

const AppStanding* Standing::Find(std::string_view app) const {
  for (const AppStanding& row : apps) {
    if (row.app == app) return &row;
  }
  return nullptr;
}

StandingPtr ToStanding(const v1::JobStanding& message) {
  if (message.phase() <= v1::JOB_PHASE_UNSPECIFIED ||
      message.phase() > v1::JOB_PHASE_ENDED) {
    return nullptr;
  }
  auto standing = std::make_shared<Standing>();
  standing->phase = static_cast<JobPhase>(message.phase());
  standing->reason = Readable(message.reason(), kMostReason);
  if (message.has_expected_start()) {
    standing->expected_start =
        absl::FromUnixSeconds(message.expected_start().seconds());
  }
  for (const v1::JobApp& app : message.apps()) {
    if (standing->apps.size() == kMostApps) break;
    const bool known = app.state() >= v1::JOB_APP_STATE_UNSPECIFIED &&
                       app.state() <= v1::JOB_APP_STATE_FAILED;
    standing->apps.push_back(
        {app.app(),
         known ? static_cast<AppPhase>(app.state()) : AppPhase::kStopped,
         Readable(app.detail(), kMostReason)});
  }
  return standing;
}

}  // namespace carme::proxy
