#include "backend/policy/checks/notify.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace carme::backend {
namespace {

constexpr int kFirstEvent = 1;
constexpr int kLastEvent = 5;

std::vector<Violation> Refuse(std::string message) {
  return {
      {Refusal::kInvalid, "notify", "notify", "", "carme", std::move(message)}};
}

}  // namespace

std::vector<Violation> CheckNotify(const JobSpec& spec) {
  if (spec.notify.empty()) return {};
  if (!spec.linked_to.empty() || !spec.builds.empty()) {
    return Refuse(
        "notify is not allowed when nodes are added to a job or an image is "
        "built");
  }
  const std::set<int> different(spec.notify.begin(), spec.notify.end());
  for (const int event : different) {
    if (event >= kFirstEvent && event <= kLastEvent) continue;
    return Refuse(
        absl::StrCat("notify has ", event, ", which is not a known event"));
  }
  if (different.size() == spec.notify.size()) return {};
  return Refuse("notify contains an event twice");
}

}  // namespace carme::backend
