#include "common/packages/package_rules.h"

#include "absl/strings/ascii.h"
#include "common/name_rules.h"

namespace carme {
namespace {

constexpr size_t kMaxUrlBytes = 512;
constexpr size_t kMaxPathBytes = 1024;

constexpr NameRule kDebianPackageRule{
    .characters = kLowercase | kDecimalDigits | "+-.",
    .min_bytes = 2,
    .max_bytes = kMaxPackageBytes,
    .first = kLowercase | kDecimalDigits,
    // apt removes "name-".
    .last = kLowercase | kDecimalDigits | "+"};
constexpr NameRule kDebianSuiteRule{
    .characters = kLowercase | kDecimalDigits | "-",
    .max_bytes = 32,
    .first = kLowercase};
constexpr NameRule kPipNameRule{.characters = kAlphanumeric | "._-",
                                .max_bytes = kMaxPackageBytes,
                                .first = kAlphanumeric,
                                .last = kAlphanumeric};
constexpr NameRule kCondaNameRule{.characters = kAlphanumeric | "._-",
                                  .max_bytes = kMaxPackageBytes,
                                  .first = kAlphanumeric | "_",
                                  .last = kAlphanumeric};
constexpr CharacterSet kVersionCharacters = kAlphanumeric | "._+!*";
constexpr CharacterSet kPathCharacters = kAlphanumeric | "._+@-/";

// Removes the text before `separator`, and the separator, from `*rest`.
std::string_view TakeUntil(char separator, std::string_view* rest) {
  const size_t end = rest->find(separator);
  const std::string_view head = rest->substr(0, end);
  *rest = end == std::string_view::npos ? std::string_view()
                                        : rest->substr(end + 1);
  return head;
}

bool IsVersion(std::string_view text) {
  return !text.empty() && kAlphanumeric.Contains(text.front()) &&
         kVersionCharacters.ContainsAll(text);
}

// One constraint: an operator and a version.
bool IsConstraint(std::string_view text, bool conda) {
  for (const std::string_view sign : {"==", ">=", "<=", "!=", "~=", ">", "<"}) {
    if (text.starts_with(sign)) return IsVersion(text.substr(sign.size()));
  }
  return conda && text.starts_with("=") && IsVersion(text.substr(1));
}

bool AreConstraints(std::string_view text, bool conda) {
  if (text.empty()) return true;
  if (text.back() == ',') return false;
  while (!text.empty()) {
    if (!IsConstraint(TakeUntil(',', &text), conda)) return false;
  }
  return true;
}

// "[a,b]" at the beginning of `*rest`, which may have none.
bool TakeExtras(std::string_view* rest) {
  if (!rest->starts_with("[")) return true;
  const size_t end = rest->find(']');
  if (end == std::string_view::npos) return false;
  std::string_view extras = rest->substr(1, end - 1);
  rest->remove_prefix(end + 1);
  if (extras.empty() || extras.back() == ',') return false;
  while (!extras.empty()) {
    if (!kPipNameRule.Allows(TakeUntil(',', &extras))) return false;
  }
  return true;
}

// As pip, which ignores the case of suffixes.
bool LooksLikeArchive(std::string_view given) {
  const std::string text =
      absl::AsciiStrToLower(absl::string_view(given.data(), given.size()));
  for (const std::string_view suffix :
       {".zip", ".whl", ".tgz", ".tbz", ".txz", ".tlz", ".conda"}) {
    if (text.ends_with(suffix)) return true;
  }
  return text.find(".tar") != std::string_view::npos;
}

}  // namespace

bool IsDebianPackage(std::string_view text) {
  return kDebianPackageRule.Allows(text);
}

bool IsDebianSuite(std::string_view text) {
  return kDebianSuiteRule.Allows(text);
}

bool IsPipPackage(std::string_view text) {
  if (text.size() > kMaxPackageBytes || LooksLikeArchive(text)) return false;
  const size_t end = text.find_first_of("[=<>!~");
  std::string_view rest =
      end == std::string_view::npos ? std::string_view() : text.substr(end);
  return kPipNameRule.Allows(text.substr(0, end)) && TakeExtras(&rest) &&
         AreConstraints(rest, false);
}

bool IsCondaPackage(std::string_view text) {
  if (text.size() > kMaxPackageBytes || LooksLikeArchive(text)) return false;
  const size_t end = text.find_first_of("=<>!~");
  const std::string_view rest =
      end == std::string_view::npos ? std::string_view() : text.substr(end);
  return kCondaNameRule.Allows(text.substr(0, end)) &&
         AreConstraints(rest, true);
}

bool IsPackageUrl(std::string_view url, bool insecure) {
  if (url.size() > kMaxUrlBytes) return false;
  if (url.starts_with("https://")) {
    url.remove_prefix(8);
  } else if (insecure && url.starts_with("http://")) {
    url.remove_prefix(7);
  } else {
    return false;
  }
  constexpr CharacterSet kUrlCharacters = kAlphanumeric | "._~-+:/";
  return !url.empty() && kAlphanumeric.Contains(url.front()) &&
         kUrlCharacters.ContainsAll(url) &&
         url.find("..") == std::string_view::npos;
}

bool IsDefinitionPath(std::string_view path) {
  return path.size() <= kMaxPathBytes && path.starts_with("/") &&
         kPathCharacters.ContainsAll(path) &&
         path.find("..") == std::string_view::npos;
}

}  // namespace carme
