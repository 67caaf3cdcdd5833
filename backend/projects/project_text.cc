#include "backend/projects/project_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "common/name_rules.h"
#include "common/printable.h"
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
  const std::string found =
      length ? absl::StrCat(field, " has ", *length, " characters")
             : absl::StrCat(field, " contains an unprintable character");
  return absl::InvalidArgumentError(
      absl::StrCat(found, ": expected ", min, " to ", max, " printable ones"));
}

bool IsAlnum(char c) { return kAlphanumeric.Contains(c); }

}  // namespace

absl::Status CheckSettings(const std::vector<std::string>& classifications,
                           ProjectSettings* settings) {
  RETURN_IF_ERROR(CheckLength("name", settings->name, 1, kLongestName));
  if (settings->name.find_first_not_of(' ') == std::string::npos) {
    return absl::InvalidArgumentError("name must not be blank");
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
  return absl::InvalidArgumentError(absl::StrCat(
      "classification is \"", PlainText(classification, 64),
      "\": expected one of: ", absl::StrJoin(classifications, ", ")));
}

absl::Status CheckAccount(const std::string& account) {
  if (account.empty()) return absl::OkStatus();
  const bool right = account.size() <= kLongestAccount &&
                     (IsAlnum(account[0]) || account[0] == '_') &&
                     std::all_of(account.begin(), account.end(), [](char c) {
                       return IsAlnum(c) || c == '_' || c == '-' || c == '.';
                     });
  if (right) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "account is \"", PlainText(account, kLongestAccount),
      "\": expected at "
      "most ",
      kLongestAccount, " letters, digits and \"_-.\", a letter first"));
}

absl::Status CheckEnd(const std::optional<absl::Time>& end, absl::Time now) {
  if (!end || (*end > now && *end < now + kLongestLife)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "expiresAt must be within the next 20 years, or empty");
}

std::string QuotedName(const Project& project) {
  return absl::StrCat("\"", project.settings.name, "\"");
}

}  // namespace carme::backend
