#include "proxy/local_reply/local_reply.h"

#include "absl/time/clock.h"
#include "proxy/local_reply/api_error.h"
#include "proxy/local_reply/app_overlay.h"
#include "proxy/local_reply/error_page.h"

namespace carme::proxy {
namespace {

constexpr std::string_view kTooManyCookies =
    "Your browser sent more cookies than this site accepts. They have been "
    "deleted. Reload the page and log in again.\n";

ErrorPageContext ContextFrom(const LocalReplyOptions& options) {
  return {.reason = options.reason,
          .expected_start = options.expected_start,
          .portal_url = options.portal_url,
          .status_path = options.status_path,
          .request_id = options.request_id,
          .ends_at = options.ends_at,
          .job_url = options.job_url};
}

void AppendHead(int status, std::string_view reason, bool close,
                std::string_view request_id, std::string_view hsts,
                std::string* out, std::string_view cache_control = "no-store") {
  out->append("HTTP/1.1 ").append(std::to_string(status)).append(" ");
  out->append(reason).append("\r\n");
  out->append("Date: ");
  out->append(absl::FormatTime("%a, %d %b %E4Y %H:%M:%S GMT", absl::Now(),
                               absl::UTCTimeZone()));
  out->append("\r\nCache-Control: ").append(cache_control);
  out->append(
      "\r\n"
      "Referrer-Policy: no-referrer\r\n"
      "X-Content-Type-Options: nosniff\r\n");
  if (!hsts.empty()) {
    out->append("Strict-Transport-Security: ").append(hsts).append("\r\n");
  }
  if (!request_id.empty()) {
    out->append("X-Request-Id: ").append(request_id).append("\r\n");
  }
  if (close) out->append("Connection: close\r\n");
}

// Only text types have a charset parameter.
void AppendBody(std::string_view type, std::string_view body, bool head_only,
                std::string* out) {
  out->append("Content-Type: ").append(type);
  if (type.substr(0, 5) == "text/") out->append("; charset=utf-8");
  out->append("\r\nContent-Length: ");
  out->append(std::to_string(body.size())).append("\r\n\r\n");
  if (!head_only) out->append(body);
}

}  // namespace

void AppendLocalReply(ReplyReason reply_reason,
                      const LocalReplyOptions& options, std::string* out) {
  const ErrorText& text = TextFor(reply_reason);
  AppendHead(text.status, text.phrase, options.close, options.request_id,
             options.hsts, out);
  // RFC 9110 section 15.5.2 requires a challenge; browsers ignore this one.
  if (text.status == 401) {
    out->append("WWW-Authenticate: Carme realm=\"job\"\r\n");
  }
  if (text.refresh != Refresh::kNone) out->append("Retry-After: 2\r\n");
  if (options.api) {
    AppendBody("application/json",
               ApiErrorJson(text.status, ApiMessageFor(reply_reason),
                            options.request_id),
               options.head_only, out);
  } else if (options.page) {
    out->append("Content-Security-Policy: ").append(ErrorPagePolicy());
    out->append("\r\n");
    AppendBody("text/html", ErrorPageHtml(reply_reason, ContextFrom(options)),
               options.head_only, out);
  } else {
    AppendBody("application/problem+json",
               ErrorPageJson(reply_reason, ContextFrom(options)),
               options.head_only, out);
  }
}

void AppendAppStatus(ReplyReason reply_reason, const LocalReplyOptions& options,
                     std::string* out) {
  AppendHead(200, "OK", options.close, options.request_id, options.hsts, out);
  AppendBody("application/json",
             ErrorPageJson(reply_reason, ContextFrom(options)),
             options.head_only, out);
}

void AppendOverlayScript(const LocalReplyOptions& options, std::string* out) {
  AppendHead(200, "OK", options.close, options.request_id, options.hsts, out,
             "private, max-age=3600");
  AppendBody("text/javascript", OverlayScript(), options.head_only, out);
}

void AppendRejection(const Rejection& refusal, std::string* out) {
  AppendHead(refusal.status,
             refusal.status == 408 ? "Request Timeout" : "Refused", true,
             refusal.api ? refusal.request_id : "", "", out);
  if (refusal.clear_cookies) {
    out->append("Clear-Site-Data: \"cookies\"\r\n");
  }
  if (refusal.api) {
    AppendBody("application/json",
               ApiErrorJson(refusal.status, refusal.error, refusal.request_id),
               false, out);
  } else if (refusal.clear_cookies) {
    AppendBody("text/plain", kTooManyCookies, false, out);
  } else {
    AppendBody("text/plain", std::string(refusal.error) + "\n", false, out);
  }
}

void AppendOpened(std::string_view path, std::string_view cookie_name,
                  std::string_view cookie_value, long max_age_s,
                  const LocalReplyOptions& options, std::string* out) {
  AppendHead(303, "See Other", options.close, options.request_id, options.hsts,
             out);
  out->append("Location: ").append(path);
  out->append("\r\nSet-Cookie: ").append(cookie_name);
  out->append("=").append(cookie_value).append("; Max-Age=");
  out->append(std::to_string(max_age_s));
  out->append("; Path=").append(path);
  out->append("; Secure; HttpOnly; SameSite=Lax\r\n");
  out->append("Content-Length: 0\r\n\r\n");
}

}  // namespace carme::proxy
