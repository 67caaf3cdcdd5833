#include "frontend/gateway/connect_request.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/crypto/hash.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"
#include "frontend/gateway/bearer_token.h"
#include "frontend/gateway/messages.h"
#include "frontend/gateway/request_checks.h"
#include "frontend/gateway/session_cookie.h"

namespace carme::frontend {
namespace {

constexpr size_t kMaxUserAgentBytes = 200;
constexpr size_t kMaxTimeoutDigits = 10;

std::string PrintableAscii(std::string_view text) {
  std::string printable(text.substr(0, kMaxUserAgentBytes));
  std::replace_if(
      printable.begin(), printable.end(),
      [](char c) {
        return !absl::ascii_isprint(static_cast<unsigned char>(c));
      },
      '?');
  return printable;
}

}  // namespace

std::optional<HttpError> CheckContentType(const Method& method,
                                          const HttpHeaders& headers) {
  const std::string expected =
      method.streams ? "application/connect+json" : "application/json";
  const std::string found(headers.Get("content-type"));
  if (absl::AsciiStrToLower(found) == expected) return std::nullopt;
  return HttpError{415, absl::StrCat("content type \"", found,
                                     "\": expected \"", expected, "\"")};
}

absl::Status CheckConnectHeaders(const Method& method,
                                 const HttpHeaders& headers) {
  const std::string* version = headers.Find("connect-protocol-version");
  if (version != nullptr && *version != "1") {
    return MakeError(gateway_messages::kProtocolVersion,
                     {{"version", *version}});
  }
  const char* name =
      method.streams ? "connect-content-encoding" : "content-encoding";
  const std::string* coding = headers.Find(name);
  if (coding != nullptr && *coding != "identity") {
    return MakeError(gateway_messages::kCodingUnsupported,
                     {{"header", name}, {"coding", *coding}});
  }
  return absl::OkStatus();
}

absl::StatusOr<absl::Duration> TimeoutOf(const HttpHeaders& headers,
                                         absl::Duration max) {
  const std::string* text = headers.Find("connect-timeout-ms");
  if (text == nullptr) return max;
  int64_t timeout_ms = 0;
  const bool digits = std::all_of(text->begin(), text->end(), [](char c) {
    return absl::ascii_isdigit(static_cast<unsigned char>(c));
  });
  if (!digits || text->size() > kMaxTimeoutDigits ||
      !absl::SimpleAtoi(*text, &timeout_ms) || timeout_ms == 0) {
    return MakeError(gateway_messages::kTimeoutInvalid, {{"value", *text}});
  }
  return std::min(absl::Milliseconds(timeout_ms), max);
}

absl::StatusOr<BackendCall> BackendCallFor(const Method& method,
                                           const HttpRequest& request,
                                           const std::string& request_id,
                                           absl::Time now) {
  ASSIGN_OR_RETURN(const absl::Duration timeout,
                   TimeoutOf(request.headers,
                             method.streams ? kMaxStreamTime : kMaxCallTime));
  BackendCall call{.method = method.path,
                   .metadata = {},
                   .deadline = now + timeout,
                   .request_id = request_id};
  call.metadata = {
      {"carme-request-id", request_id},
      {"carme-client-address", ClientAddress(request)},
      {"carme-user-agent", PrintableAscii(request.headers.Get("user-agent"))}};
  std::string traceparent = TraceparentOf(request.headers, request_id);
  if (!traceparent.empty()) {
    call.metadata.emplace_back("traceparent", std::move(traceparent));
  }
  if (IsScript(request.headers)) {
    ASSIGN_OR_RETURN(std::string token, AccessTokenOf(request.headers));
    if (!method.needs_session) return call;
    call.credential = Sha256(token);
    call.metadata.emplace_back("carme-token", std::move(token));
    return call;
  }
  if (!method.needs_session) return call;
  ASSIGN_OR_RETURN(std::string token, SessionTokenOf(request.headers));
  call.credential = Sha256(token);
  if (!token.empty()) {
    call.metadata.emplace_back("carme-session", std::move(token));
  }
  return call;
}

}  // namespace carme::frontend
