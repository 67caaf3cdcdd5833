#include "backend/projects/project_text.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "backend/projects/messages.h"
#include "common/name_rules.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kLongestName = 64;
constexpr size_t kLongestDescription = 1000;
constexpr size_t kLongestAccount = 64;
constexpr absl::Duration kLongestLife = absl::Hours(24 * 366 * 20);

absl::Status CheckLength(const char* field, const std::string& text, size_t min,
                         size_t max) {
  const std::optional<size_t> length =
      IsUtf8(text) ? PrintableLength(text) : std::nullopt;
  if (length && *length >= min && *length <= max) return absl::OkStatus();
  if (!length) {
    return MakeError(project_messages::kUnprintable,
                     {{"field", field}, {"min", min}, {"max", max}});
  }
  return MakeError(
      project_messages::kWrongLength,
      {{"field", field}, {"characters", *length}, {"min", min}, {"max", max}});
}

bool IsAlnum(char c) { return kAlphanumeric.Contains(c); }

}  // namespace

absl::Status CheckSettings(const std::vector<std::string>& classifications,
                           ProjectSettings* settings) {
  RETURN_IF_ERROR(CheckLength("name", settings->name, 1, kLongestName));
  if (settings->name.find_first_not_of(' ') == std::string::npos) {
    return MakeError(project_messages::kBlankName);
  }
  const std::string one_line =
      absl::StrReplaceAll(settings->description, {{"\n", " "}});
  RETURN_IF_ERROR(CheckLength("description", one_line, 0, kLongestDescription));
  std::string& classification = settings->classification;
  if (classification.empty() && !classifications.empty()) {
    classification = classifications[0];
  }
  if (std::find(classifications.begin(), classifications.end(),
                classification) != classifications.end()) {
    return absl::OkStatus();
  }
  return MakeError(project_messages::kUnknownClassification,
                   {{"classification", PlainText(classification, 64)},
                    {"classifications", absl::StrJoin(classifications, ", ")}});
}

absl::Status CheckAccount(const std::string& account) {
  if (account.empty()) return absl::OkStatus();
  const bool right = account.size() <= kLongestAccount &&
                     (IsAlnum(account[0]) || account[0] == '_') &&
                     std::all_of(account.begin(), account.end(), [](char c) {
                       return IsAlnum(c) || c == '_' || c == '-' || c == '.';
                     });
  if (right) return absl::OkStatus();
  return MakeError(project_messages::kInvalidAccount,
                   {{"account", PlainText(account, kLongestAccount)},
                    {"max", kLongestAccount}});
}

absl::Status CheckEnd(const std::optional<absl::Time>& end, absl::Time now) {
  if (!end || (*end > now && *end < now + kLongestLife)) {
    return absl::OkStatus();
  }
  return MakeError(project_messages::kInvalidEnd);
}

}  // namespace carme::backend
