#include "backend/privileged/impersonator/authz/rate_limits.h"

#include <algorithm>
#include <utility>

#include "backend/privileged/impersonator/authz/messages.h"
#include "common/status.h"

namespace carme::impersonator {
namespace {

using Result = SharedRateLimiter::Result;

constexpr int kShare = 4;  // a user gets at most a quarter

const char* PluralName(OperationKind kind) {
  switch (kind) {
    case OperationKind::kSubmit:
      return "submissions";
    case OperationKind::kCancel:
      return "cancellations";
    case OperationKind::kUpdate:
      return "changes";
    case OperationKind::kReadLog:
      return "log reads";
    case OperationKind::kEstimateStart:
      return "start estimates";
    case OperationKind::kReserve:
      return "reservations";
    case OperationKind::kExtend:
      return "extensions";
    case OperationKind::kSetNodeState:
      return "changes of nodes";
  }
  return "operations";
}

absl::Status TooMany(absl::string_view what, absl::string_view whose, int limit,
                     absl::string_view key) {
  return MakePlainError(
      impersonator_authz_messages::kRateLimited,
      {{"subject", what}, {"account", whose}, {"limit", limit}, {"key", key}});
}

}  // namespace

absl::StatusOr<std::unique_ptr<RateLimits>> RateLimits::Create(
    const RateLimitsConfig& config) {
  std::unique_ptr<RateLimits> limits(new RateLimits(config));
  const int share = std::max(1, config.total / kShare);
  for (int i = 0; i < kOperationKinds; ++i) {
    const bool is_submit = i == static_cast<int>(OperationKind::kSubmit);
    ASSIGN_OR_RETURN(limits->kinds_[static_cast<size_t>(i)],
                     SharedRateLimiter::Create(
                         is_submit ? std::min(share, config.per_user) : share,
                         config.total));
  }
  ASSIGN_OR_RETURN(limits->tasks_,
                   SharedRateLimiter::Create(config.tasks_per_user,
                                             kShare * config.tasks_per_user));
  return limits;
}

absl::Status RateLimits::Admit(OperationKind kind, uid_t uid,
                               absl::Duration now) {
  SharedRateLimiter& limiter = *kinds_[static_cast<size_t>(kind)];
  switch (limiter.Admit(uid, 1, now)) {
    case Result::kAdmitted:
      return absl::OkStatus();
    case Result::kUserLimit: {
      const bool own = limiter.per_user() == config_.per_user &&
                       kind == OperationKind::kSubmit;
      return TooMany(PluralName(kind), "this user", limiter.per_user(),
                     own ? "submissions_per_minute_per_user"
                         : "a quarter of operations_per_minute");
    }
    case Result::kTotalLimit:
      break;
  }
  return TooMany(PluralName(kind), "all users", config_.total,
                 "operations_per_minute");
}

absl::Status RateLimits::AdmitTasks(uid_t uid, int64_t tasks,
                                    absl::Duration now) {
  if (tasks <= 0) return absl::OkStatus();
  constexpr char kWhat[] = "array tasks";
  switch (tasks_->Admit(uid, tasks, now)) {
    case Result::kAdmitted:
      return absl::OkStatus();
    case Result::kUserLimit:
      return TooMany(kWhat, "this user", tasks_->per_user(),
                     "array_tasks_per_minute_per_user");
    case Result::kTotalLimit:
      break;
  }
  return TooMany(kWhat, "all users", tasks_->total(),
                 "four times array_tasks_per_minute_per_user");
}

}  // namespace carme::impersonator
