#include "frontend/gateway/bearer_token.h"

#include "absl/strings/match.h"
#include "common/name_rules.h"
#include "common/protobuf/message_error.h"
#include "frontend/gateway/messages.h"
#include "frontend/gateway/session_cookie.h"

namespace carme::frontend {
namespace {

constexpr char kField[] = "authorization";
constexpr std::string_view kScheme = "Bearer ";
constexpr std::string_view kPrefix = "carme_";
constexpr size_t kRandomCharacters = 43;  // 256 bits in base64url

bool HasSessionCookie(const HttpHeaders& headers) {
  const absl::StatusOr<std::string> session = SessionTokenOf(headers);
  return !session.ok() || !session->empty();
}

}  // namespace

bool IsAccessToken(std::string_view text) {
  return text.size() == kPrefix.size() + kRandomCharacters &&
         text.starts_with(kPrefix) && kBase64UrlCharacters.ContainsAll(text);
}

bool IsScript(const HttpHeaders& headers) {
  return headers.Find(kField) != nullptr;
}

absl::StatusOr<std::string> AccessTokenOf(const HttpHeaders& headers) {
  if (!IsScript(headers)) return std::string();
  if (HasSessionCookie(headers)) {
    return MakeError(gateway_messages::kTwoCredentials);
  }
  const std::string_view value = headers.Get(kField);
  // RFC 9110 section 11.1: the scheme is case-insensitive.
  if (value.size() <= kScheme.size() ||
      !absl::EqualsIgnoreCase(std::string(value.substr(0, kScheme.size())),
                              std::string(kScheme)) ||
      !IsAccessToken(value.substr(kScheme.size()))) {
    return MakeError(gateway_messages::kNotABearer);
  }
  return std::string(value.substr(kScheme.size()));
}

}  // namespace carme::frontend
