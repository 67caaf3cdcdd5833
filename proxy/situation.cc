#include "proxy/situation.h"

namespace carme::proxy {
namespace {

Situation OfApp(Trouble trouble, const Standing* standing,
                std::string_view app) {
  const AppStanding* found =
      standing == nullptr ? nullptr : standing->Find(app);
  const AppPhase phase = found == nullptr ? AppPhase::kStopped : found->phase;
  const bool job_starts =
      standing != nullptr && standing->phase == JobPhase::kStarts;
  const bool starts = phase == AppPhase::kStarting ||
                      (job_starts && phase == AppPhase::kStopped);
  switch (trouble) {
    case Trouble::kSlow:
      return {Notice::kAppStarting};
    case Trouble::kNoAgent:
      return {job_starts ? Notice::kJobStarting : Notice::kNodeSilent};
    case Trouble::kNoAnswer:
    case Trouble::kNone:
      if (phase == AppPhase::kFailed) {
        return {Notice::kAppFailed, found->detail};
      }
      if (starts) return {Notice::kAppStarting};
      return {trouble == Trouble::kNone ? Notice::kReady : Notice::kNotReady};
    case Trouble::kNothingKnown:
    case Trouble::kNoRoute:
      break;
  }
  return {Notice::kNotReady};
}

}  // namespace

Situation SituationOf(Trouble trouble, const Standing* standing,
                      std::string_view app) {
  const JobPhase phase =
      standing == nullptr ? JobPhase::kUnknown : standing->phase;
  switch (phase) {
    case JobPhase::kWaits:
      return {Notice::kJobWaits, standing->reason, standing->expected_start};
    case JobPhase::kStops:
      return {Notice::kJobStopping, standing->reason};
    case JobPhase::kEnded:
      return {Notice::kJobEnded, standing->reason};
    case JobPhase::kUnknown:
      if (trouble == Trouble::kNothingKnown) return {Notice::kNotKnownYet};
      if (trouble == Trouble::kNoRoute) return {Notice::kJobEnded};
      break;
    case JobPhase::kStarts:
    case JobPhase::kRuns:
      // It has its nodes, and its agent has not come yet, or comes again.
      if (trouble == Trouble::kNothingKnown || trouble == Trouble::kNoRoute) {
        return {Notice::kJobStarting, standing->reason};
      }
      break;
  }
  return OfApp(trouble, standing, app);
}

bool MayStillStart(const Standing* standing, std::string_view app) {
  if (standing == nullptr) return false;
  const AppStanding* found = standing->Find(app);
  return found == nullptr || found->phase != AppPhase::kReady;
}

}  // namespace carme::proxy
