#include "proxy/local_reply/api_error.h"

namespace carme::proxy {
namespace {

constexpr std::string_view kApiPrefix = "/carme.v1.";

std::string_view CodeOf(int status) {
  switch (status) {
    case 401:
      return "unauthenticated";
    case 403:
      return "permission_denied";
    case 404:
      return "not_found";
    case 408:
      return "deadline_exceeded";
    case 413:
    case 414:
    case 429:
    case 431:
      return "resource_exhausted";
    case 501:
    case 505:
      return "unimplemented";
    case 502:
    case 503:
      return "unavailable";
    default:
      return status >= 500 ? "internal" : "invalid_argument";
  }
}

}  // namespace

bool IsApiTarget(std::string_view target) {
  return target.substr(0, kApiPrefix.size()) == kApiPrefix;
}

std::string ApiErrorJson(int status, std::string_view message,
                         std::string_view request_id) {
  std::string json = "{\"code\":\"";
  json.append(CodeOf(status)).append("\",\"message\":\"").append(message);
  json.append("\",\"requestId\":\"").append(request_id).append("\"}");
  return json;
}

std::string_view ApiMessageFor(ReplyReason reply_reason) {
  switch (reply_reason) {
    case ReplyReason::kRateLimited:
      return "too many requests at once; try again in a moment";
    case ReplyReason::kPortalUnavailable:
      return "the portal cannot be reached; try again in a moment";
    case ReplyReason::kPortalBusy:
      return "the portal is busy; try again in a moment";
    case ReplyReason::kBadGateway:
      return "the portal sent an invalid response; try again in a moment";
    case ReplyReason::kBodyTooLarge:
      return "request body too large";
    case ReplyReason::kBadForwarded:
      return "invalid Forwarded field";
    case ReplyReason::kNoSuchHost:
      return "host not served here";
    default:
      return TextFor(reply_reason).title;
  }
}

}  // namespace carme::proxy
