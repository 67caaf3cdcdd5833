// What the backend says of a job, for the words that stand in its app's place.
// Nobody is let in or kept out by it.
#ifndef CARME_PROXY_STANDING_H_
#define CARME_PROXY_STANDING_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"

namespace carme::v1 {
class JobStanding;
}

namespace carme::proxy {

// The numbers are carme.v1.JobPhase's.
enum class JobPhase : uint8_t {
  kUnknown = 0,
  kWaits = 1,
  kStarts = 2,
  kRuns = 3,
  kStops = 4,
  kEnded = 5,
};

// The numbers are carme.v1.JobAppState's.
enum class AppPhase : uint8_t {
  kStopped = 0,
  kStarting = 1,
  kReady = 2,
  kFailed = 3,
};

struct AppStanding {
  std::string app;
  AppPhase phase = AppPhase::kStopped;
  std::string detail{};
};

// Immutable, shared by the loops.
struct Standing {
  JobPhase phase = JobPhase::kUnknown;
  std::string reason{};
  std::optional<absl::Time> expected_start{};
  std::vector<AppStanding> apps{};

  const AppStanding* Find(std::string_view app) const;
};
using StandingPtr = std::shared_ptr<const Standing>;

// Null: no more is said of it. Texts are bounded and hold nothing by which a
// page could be deceived.
StandingPtr ToStanding(const v1::JobStanding& message);

}  // namespace carme::proxy

#endif  // CARME_PROXY_STANDING_H_
