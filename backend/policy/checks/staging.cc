#include "backend/policy/checks/staging.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backend/policy/checks/messages.h"
#include "backend/policy/spec/limit_source.h"
#include "common/message.h"
#include "common/printable.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxItems = 16;
constexpr size_t kMaxStagedPathBytes = 1024;

bool IsStagedPath(const std::string& path) {
  return !path.empty() && path.size() <= kMaxStagedPathBytes && IsUtf8(path) &&
         PrintableLength(path).has_value();
}

// Whether the path stays below the scratch directory.
bool StaysInside(const std::string& path) {
  bool names_something = false;
  for (const absl::string_view step : absl::StrSplit(path, '/')) {
    if (step == "..") return false;
    if (!step.empty() && step != ".") names_something = true;
  }
  return path[0] != '/' && !path.starts_with("~/") && names_something;
}

DisplayText Wrong(const std::vector<StageItem>& items, bool in) {
  if (items.size() > kMaxItems) {
    return MakeText(policy_check_messages::kTooManyStagedItems,
                    {{"found", items.size()}, {"max", kMaxItems}});
  }
  for (const StageItem& item : items) {
    if (!IsStagedPath(item.from) || !IsStagedPath(item.to)) {
      return MakeText(policy_check_messages::kStagedPathInvalid,
                      {{"max", kMaxStagedPathBytes}});
    }
    const std::string& inside = in ? item.to : item.from;
    if (!StaysInside(inside)) {
      return MakeText(policy_check_messages::kStagedPathOutsideScratch,
                      {{"path", inside}});
    }
  }
  return "";
}

}  // namespace

std::vector<Violation> CheckStage(const JobSpec& spec) {
  std::vector<Violation> violations;
  for (const bool in : {true, false}) {
    DisplayText wrong = Wrong(in ? spec.stage_in : spec.stage_out, in);
    if (wrong.empty()) continue;
    violations.push_back({Refusal::kInvalid, in ? "stageIn" : "stageOut",
                          "stage_items", absl::StrCat(kMaxItems),
                          kCarmeLimitSource, std::move(wrong)});
  }
  return violations;
}

}  // namespace carme::backend
