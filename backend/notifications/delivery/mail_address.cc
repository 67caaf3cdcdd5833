#include "backend/notifications/delivery/mail_address.h"

#include <cstddef>

#include "common/name_rules.h"

namespace carme::backend {
namespace {

constexpr size_t kLongestLocal = 64;
constexpr size_t kLongestDomain = 253;
constexpr CharacterSet kAtom = kAlphanumeric | "!#$%&'*+-/=?^_`{|}~";
constexpr NameRule kLabelRule{.characters = kAlphanumeric | "-",
                              .max_bytes = 63,
                              .first = kAlphanumeric,
                              .last = kAlphanumeric};

bool IsAtom(std::string_view text) {
  return !text.empty() && kAtom.ContainsAll(text);
}

bool IsLabel(std::string_view text) { return kLabelRule.Allows(text); }

// Whether each piece between the dots passes.
template <typename Test>
bool AllPieces(std::string_view text, const Test& test) {
  while (true) {
    const size_t dot = text.find('.');
    if (!test(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

}  // namespace

bool IsMailAddress(std::string_view text) {
  const size_t at = text.rfind('@');
  if (at == std::string_view::npos) return false;
  const std::string_view local = text.substr(0, at);
  const std::string_view domain = text.substr(at + 1);
  // A mail program could take an address that begins with "-" as an option.
  return !local.empty() && local.front() != '-' &&
         local.size() <= kLongestLocal && domain.size() <= kLongestDomain &&
         AllPieces(local, IsAtom) && AllPieces(domain, IsLabel);
}

}  // namespace carme::backend
