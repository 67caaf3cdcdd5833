#include "proxy/own_answer.h"

#include "proxy/api_error.h"
#include "proxy/notice_page.h"

namespace carme::proxy {
namespace {

constexpr std::string_view kTooManyCookies =
    "Your browser sent more cookies than this site accepts. They have been "
    "deleted. Reload the page and log in again.\n";

NoticeFacts FactsOf(const AnswerOptions& options) {
  return {.reason = options.reason,
          .expected_start = options.expected_start,
          .portal_url = options.portal_url,
          .state_path = options.state_path,
          .request_id = options.request_id};
}

void AppendHead(int status, std::string_view reason, bool close,
                std::string_view request_id, std::string_view hsts,
                std::string* out) {
  out->append("HTTP/1.1 ").append(std::to_string(status)).append(" ");
  out->append(reason).append("\r\n");
  out->append(
      "Cache-Control: no-store\r\n"
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

// A charset is a parameter of text; JSON has one and no other.
void AppendBody(std::string_view type, std::string_view body, bool head_only,
                std::string* out) {
  out->append("Content-Type: ").append(type);
  if (type.substr(0, 5) == "text/") out->append("; charset=utf-8");
  out->append("\r\nContent-Length: ");
  out->append(std::to_string(body.size())).append("\r\n\r\n");
  if (!head_only) out->append(body);
}

}  // namespace

void AppendNotice(Notice notice, const AnswerOptions& options,
                  std::string* out) {
  const NoticeWords words = WordsOf(notice);
  AppendHead(words.status, words.phrase, options.close, options.request_id,
             options.hsts, out);
  // RFC 9110 section 15.5.2 wants a challenge; no browser asks a person for
  // this one.
  if (words.status == 401) {
    out->append("WWW-Authenticate: Carme realm=\"job\"\r\n");
  }
  if (words.goes_on != GoesOn::kNot) out->append("Retry-After: 2\r\n");
  if (options.api) {
    AppendBody("application/json",
               ApiErrorJson(words.status, ApiMessageOf(notice),
                            options.request_id),
               options.head_only, out);
  } else if (options.page) {
    out->append("Content-Security-Policy: ").append(NoticePagePolicy());
    out->append("\r\n");
    AppendBody("text/html", NoticePage(notice, FactsOf(options)),
               options.head_only, out);
  } else {
    AppendBody("application/problem+json", NoticeJson(notice, FactsOf(options)),
               options.head_only, out);
  }
}

void AppendState(Notice notice, const AnswerOptions& options,
                 std::string* out) {
  AppendHead(200, "OK", options.close, options.request_id, options.hsts, out);
  AppendBody("application/json", NoticeJson(notice, FactsOf(options)),
             options.head_only, out);
}

void AppendRefusal(const Refusal& refusal, std::string* out) {
  AppendHead(refusal.status,
             refusal.status == 408 ? "Request Timeout" : "Refused", true,
             refusal.api ? refusal.request_id : "", "", out);
  if (refusal.clear_cookies) {
    out->append("Clear-Site-Data: \"cookies\"\r\n");
  }
  if (refusal.api) {
    AppendBody(
        "application/json",
        ApiErrorJson(refusal.status, refusal.why, refusal.request_id), false,
        out);
  } else if (refusal.clear_cookies) {
    AppendBody("text/plain", kTooManyCookies, false, out);
  } else {
    AppendBody("text/plain", std::string(refusal.why) + "\n", false, out);
  }
}

void AppendOpened(std::string_view path, std::string_view cookie_name,
                  std::string_view cookie_value, long max_age_s,
                  const AnswerOptions& options, std::string* out) {
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
