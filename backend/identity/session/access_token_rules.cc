#include "backend/identity/session/access_token_rules.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "backend/identity/session/messages.h"
#include "backend/identity/session/token_scopes.h"
#include "common/encoding.h"
#include "common/protobuf/message_error.h"
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
  return MakeError(session_messages::kTokenNameInvalid,
                   {{"bytes", name.size()}, {"max", kLongestName}});
}

absl::Status CheckTokenScopes(Role role,
                              const std::vector<std::string>& scopes) {
  if (scopes.empty() || scopes.size() > kTokenScopes.size()) {
    return MakeError(session_messages::kTokenScopeCount,
                     {{"count", scopes.size()}, {"max", kTokenScopes.size()}});
  }
  for (const std::string& word : scopes) {
    const TokenScope* scope = FindScope(word);
    if (scope == nullptr) {
      return MakeError(session_messages::kTokenScopeUnknown,
                       {{"scope", word.substr(0, 32)}});
    }
    if (!MayGive(role, *scope)) {
      return MakeError(session_messages::kTokenScopeExceedsRole,
                       {{"scope", word}, {"role", RoleName(role)}});
    }
    if (scope->is_alone && scopes.size() > 1) {
      return MakeError(session_messages::kTokenScopeNotAlone,
                       {{"scope", word}});
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<net::Networks> ParseTokenAddresses(
    const std::vector<std::string>& addresses) {
  if (addresses.size() > kMaxAddresses) {
    return MakeError(session_messages::kTokenTooManyAddresses,
                     {{"count", addresses.size()}, {"max", kMaxAddresses}});
  }
  for (const std::string& address : addresses) {
    // The longest: eight groups of IPv6, a slash and three digits.
    if (address.size() > kLongestAddress) {
      return MakeError(session_messages::kTokenAddressTooLong,
                       {{"bytes", address.size()}, {"max", kLongestAddress}});
    }
  }
  return net::Networks::Parse(addresses);
}

absl::Status CheckTokenExpiry(absl::Time now, absl::Time expires_at,
                              int max_days) {
  // Allows for the time between the choice of a day in the page and the call.
  const absl::Duration max = absl::Hours(24) * max_days + absl::Minutes(5);
  if (expires_at > now && expires_at <= now + max) return absl::OkStatus();
  if (max_days == 1) return MakeError(session_messages::kTokenExpiryNotInADay);
  return MakeError(session_messages::kTokenExpiryInvalid, {{"days", max_days}});
}

}  // namespace carme::backend
