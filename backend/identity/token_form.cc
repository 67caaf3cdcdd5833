#include "backend/identity/token_form.h"

#include "absl/strings/str_cat.h"
#include "common/encoding.h"
#include "common/random.h"

namespace carme::backend {
namespace {

constexpr std::string_view kSecretPrefix = "carme_";
constexpr std::string_view kIdPrefix = "token-";
constexpr int kSecretBytes = 32;
constexpr size_t kSecretText = 43;  // of base64url
constexpr int kIdBytes = 12;
constexpr size_t kIdText = 16;

}  // namespace

std::string NewTokenSecret() {
  return absl::StrCat(std::string(kSecretPrefix),
                      Base64UrlEncode(RandomBytes(kSecretBytes)));
}

std::string NewTokenId() { return Base64UrlEncode(RandomBytes(kIdBytes)); }

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

}  // namespace carme::backend
