#include "frontend/help_links.h"

#include "common/name_rules.h"
#include "frontend/http/portal_origin.h"

namespace carme::frontend {
namespace {

constexpr std::string_view kScheme = "https://";
// RFC 3986, without "'", "[" and "]".
constexpr CharacterSet kUrlCharacters = kAlphanumeric | "-._~:/?#@!$&()*+,;=%";

// RFC 5321 allows 64 and 255 bytes. Of the characters of a name, "%", "&" and
// "?" would have a meaning in a link.
constexpr NameRule kMailNameRule{.characters = kAlphanumeric | ".!#$*+-=^_~",
                                 .max_bytes = 64,
                                 .first = kAlphanumeric,
                                 .last = kAlphanumeric | "!#$*+-=^_~"};
constexpr NameRule kMailDomainRule{.characters = kAlphanumeric | ".-",
                                   .max_bytes = 190,
                                   .first = kAlphanumeric,
                                   .last = kAlphanumeric};

bool HasEmptyLabel(std::string_view name) {
  return name.find("..") != std::string_view::npos;
}

}  // namespace

bool IsDocumentationUrl(std::string_view text) {
  if (text.size() > kMaxDocumentationUrlBytes || !text.starts_with(kScheme) ||
      !kUrlCharacters.ContainsAll(text)) {
    return false;
  }
  return ParsePortalOrigin(
             text.substr(0, text.find_first_of("/?#", kScheme.size())))
      .has_value();
}

bool IsSupportMail(std::string_view text) {
  const size_t at = text.find('@');
  if (at == std::string_view::npos) return false;
  const std::string_view name = text.substr(0, at);
  const std::string_view domain = text.substr(at + 1);
  return kMailNameRule.Allows(name) && !HasEmptyLabel(name) &&
         kMailDomainRule.Allows(domain) && !HasEmptyLabel(domain);
}

}  // namespace carme::frontend
