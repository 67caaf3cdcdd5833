#include "frontend/gateway/session_cookie.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/name_rules.h"
#include "common/protobuf/message_error.h"
#include "frontend/gateway/messages.h"

namespace carme::frontend {
namespace {

constexpr NameRule kSessionTokenRule{
    .characters = kBase64UrlCharacters, .min_bytes = 16, .max_bytes = 128};
constexpr char kAttributes[] = "; Path=/; Secure; HttpOnly; SameSite=Strict";

}  // namespace

bool IsSessionToken(std::string_view text) {
  return kSessionTokenRule.Allows(text);
}

absl::StatusOr<std::string> SessionTokenOf(const HttpHeaders& headers) {
  std::optional<std::string> token;
  const std::string cookies(headers.Get("cookie"));
  for (absl::string_view pair : absl::StrSplit(cookies, ';')) {
    const size_t equals = pair.find('=');
    const std::string name(absl::StripAsciiWhitespace(pair.substr(0, equals)));
    if (name != kSessionCookie) continue;
    if (token) {
      return MakeError(gateway_messages::kCookieTwice, {{"name", name}});
    }
    token = equals == absl::string_view::npos
                ? std::string()
                : std::string(pair.substr(equals + 1));
  }
  if (!token) return std::string();
  if (IsSessionToken(*token)) return *std::move(token);
  return MakeError(gateway_messages::kCookieMalformed);
}

std::string SessionCookie(std::string_view token,
                          std::optional<absl::Duration> lasts) {
  std::string cookie = absl::StrCat(std::string(kSessionCookie), "=",
                                    std::string(token), kAttributes);
  if (lasts) {
    absl::StrAppend(
        &cookie, "; Max-Age=", std::max<int64_t>(0, *lasts / absl::Seconds(1)));
  }
  return cookie;
}

std::string DeletedSessionCookie() {
  return absl::StrCat(std::string(kSessionCookie), "=", kAttributes,
                      "; Max-Age=0");
}

}  // namespace carme::frontend
