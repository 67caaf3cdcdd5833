#include "backend/policy/checks/notify.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "backend/policy/checks/messages.h"
#include "backend/policy/spec/limit_source.h"
#include "common/message.h"

namespace carme::backend {
namespace {

constexpr int kFirstEvent = 1;
constexpr int kLastEvent = 5;

std::vector<Violation> Refuse(DisplayText message) {
  return {{Refusal::kInvalid, "notify", "notify", "", kCarmeLimitSource,
           std::move(message)}};
}

}  // namespace

std::vector<Violation> CheckNotify(const JobSpec& spec) {
  if (spec.notify.empty()) return {};
  if (!spec.linked_to.empty() || !spec.builds.empty()) {
    return Refuse(MakeText(policy_check_messages::kNotifyNotAllowed));
  }
  const std::set<int> different(spec.notify.begin(), spec.notify.end());
  for (const int event : different) {
    if (event >= kFirstEvent && event <= kLastEvent) continue;
    return Refuse(MakeText(policy_check_messages::kNotifyEventUnknown,
                           {{"event", event}}));
  }
  if (different.size() == spec.notify.size()) return {};
  return Refuse(MakeText(policy_check_messages::kNotifyEventRepeated));
}

}  // namespace carme::backend
