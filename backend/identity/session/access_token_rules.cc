#include "backend/identity/session/access_token_rules.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "backend/identity/session/token_scopes.h"
#include "common/encoding.h"
#include "common/random.h"

namespace carme::backend {
namespace {

constexpr std::string_view kSecretPrefix = "carme_";
constexpr std::string_view kIdPrefix = "token-";
constexpr int kSecretBytes = 32;
constexpr size_t kSecretText = 43;  // of base64url
constexpr int kTokenIdBytes = 12;
constexpr size_t kIdText = 16;

constexpr size_t kLongestName = 64;
constexpr size_t kMaxAddresses = 16;
constexpr size_t kLongestAddress = 50;

}  // namespace

std::string NewTokenSecret() {
  return absl::StrCat(std::string(kSecretPrefix),
                      Base64UrlEncode(RandomBytes(kSecretBytes)));
}

std::string NewTokenId() { return Base64UrlEncode(RandomBytes(kTokenIdBytes)); }

bool IsAccessToken(std::string_view text) {
  return text.size() == kSecretPrefix.size() + kSecretText &&
         text.substr(0, kSecretPrefix.size()) == kSecretPrefix;
}

SessionId SessionIdOf(std::string_view token_id) {
  return SessionId(absl::StrCat(std::string(kIdPrefix), std::string(token_id)));
}

bool IsTokenSession(const SessionId& id) {
  return id.value().size() == kIdPrefix.size() + kIdText &&
         id.value().starts_with(kIdPrefix);
}

std::string TokenIdOf(const SessionId& id) {
  return id.value().substr(kIdPrefix.size());
}

absl::Status CheckTokenName(const std::string& name) {
  const bool printable = std::all_of(
      name.begin(), name.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (printable && !name.empty() && name.size() <= kLongestName) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("the name has ", name.size(), " bytes: expected 1 to ",
                   kLongestName, " printable ASCII characters"));
}

absl::Status CheckTokenScopes(Role role,
                              const std::vector<std::string>& scopes) {
  if (scopes.empty() || scopes.size() > kTokenScopes.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        scopes.size(), " scopes: expected 1 to ", kTokenScopes.size()));
  }
  for (const std::string& word : scopes) {
    const TokenScope* scope = FindScope(word);
    if (scope == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("unknown scope \"", word.substr(0, 32), "\""));
    }
    if (!MayGive(role, *scope)) {
      return absl::PermissionDeniedError(
          absl::StrCat("scope \"", word, "\" exceeds your role \"",
                       std::string(RoleName(role)), "\""));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<net::Networks> ParseTokenAddresses(
    const std::vector<std::string>& addresses) {
  if (addresses.size() > kMaxAddresses) {
    return absl::InvalidArgumentError(absl::StrCat(
        addresses.size(), " addresses: expected at most ", kMaxAddresses));
  }
  for (const std::string& address : addresses) {
    // The longest: eight groups of IPv6, a slash and three digits.
    if (address.size() > kLongestAddress) {
      return absl::InvalidArgumentError(
          absl::StrCat("an address has ", address.size(),
                       " bytes: expected at most ", kLongestAddress));
    }
  }
  return net::Networks::Parse(addresses);
}

absl::Status CheckTokenExpiry(absl::Time now, absl::Time expires_at,
                              int max_days) {
  // Allows for the time between the choice of a day in the page and the call.
  const absl::Duration max = absl::Hours(24) * max_days + absl::Minutes(5);
  if (expires_at > now && expires_at <= now + max) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the expiry is in the past or too far away: expected at most ", max_days,
      " days from now"));
}

}  // namespace carme::backend
