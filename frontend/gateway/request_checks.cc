#include "frontend/gateway/request_checks.h"

#include <arpa/inet.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/http1/traceparent.h"
#include "common/ids.h"
#include "common/name_rules.h"

namespace carme::frontend {
namespace {

bool IsLiteralAddress(const std::string& text) {
  std::array<char, sizeof(in6_addr)> address;
  return inet_pton(AF_INET, text.c_str(), address.data()) == 1 ||
         inet_pton(AF_INET6, text.c_str(), address.data()) == 1;
}

bool IsRequestId(std::string_view text) {
  return text.size() >= 8 && kRequestIdRule.Allows(text);
}

}  // namespace

std::optional<HttpError> CheckHost(const PortalOrigin& portal,
                                   const HttpHeaders& headers) {
  const std::string host =
      absl::AsciiStrToLower(std::string(headers.Get("host")));
  const bool default_port = portal.host.find(':') == std::string::npos;
  if (host == portal.host ||
      (default_port && host == absl::StrCat(portal.host, ":443"))) {
    return std::nullopt;
  }
  return HttpError{
      421, absl::StrCat("host \"", host, "\": expected \"", portal.host, "\"")};
}

std::optional<HttpError> CheckOrigin(const PortalOrigin& portal,
                                     const HttpHeaders& headers) {
  const std::string* site = headers.Find("sec-fetch-site");
  if (site != nullptr && *site != "same-origin") {
    return HttpError{403, "cross-origin requests are not allowed"};
  }
  const std::string* origin = headers.Find("origin");
  if (origin == nullptr) {
    const bool browser =
        headers.HasPrefix("sec-fetch-") || headers.Find("cookie") != nullptr;
    if (!browser) return std::nullopt;
    return HttpError{403, absl::StrCat("a call with a browser's fields and no "
                                       "origin: expected \"",
                                       portal.origin, "\"")};
  }
  if (*origin == portal.origin) return std::nullopt;
  return HttpError{403, absl::StrCat("origin \"", *origin, "\": expected \"",
                                     portal.origin, "\"")};
}

std::optional<HttpError> CheckForwardedFor(const HttpHeaders& headers) {
  const std::string* address = headers.Find("x-forwarded-for");
  if (address == nullptr || IsLiteralAddress(*address)) return std::nullopt;
  return HttpError{400,
                   "invalid x-forwarded-for: expected one literal address"};
}

std::string ClientAddress(const HttpRequest& request) {
  const std::string* address = request.headers.Find("x-forwarded-for");
  return address != nullptr ? *address : request.peer;
}

std::string TraceparentOf(const HttpHeaders& headers,
                          std::string_view request_id) {
  std::optional<Traceparent> trace =
      ParseTraceparent(headers.Get("traceparent"));
  if (!trace || !IsParentId(request_id)) return "";
  trace->parent_id = request_id;
  return FormatTraceparent(*trace);
}

std::string RequestIdOf(const HttpHeaders& headers) {
  const std::string_view given = headers.Get("x-request-id");
  return IsRequestId(given) ? std::string(given) : NewRequestId();
}

}  // namespace carme::frontend
