// Answers that the proxy gives itself.
#ifndef CARME_PROXY_OWN_ANSWER_H_
#define CARME_PROXY_OWN_ANSWER_H_

#include <string>
#include <string_view>

namespace carme::proxy {

// What a person is told, in words and as a page.
enum class Notice {
  kOpenFromPortal,  // 401: no cookie, or one that is no longer good
  kTicketRefused,   // 403: a link that was used, or is too old
  kForbidden,       // 403: another site's request
  kBadForwarded,    // 400: what a load balancer said cannot be read
  kBodyTooLarge,    // 413
  kTooMany,         // 429: log-ins, or connections of one session
  kJobEnded,        // 404
  kNotFound,        // 404: below /.carme/
  kNoSuchHost,      // 421
  kBadGateway,      // 502: the app's answer was not HTTP
  kNotReady,        // 503: the agent or app does not answer
  kPortalDown,      // 503: the frontend does not answer
};

struct AnswerOptions {
  bool page = false;       // a person sees it: HTML, else one line of text
  bool head_only = false;  // the answer to HEAD
  bool close = false;
  std::string_view request_id;
  std::string_view portal_url;  // for the pages' link
  // The value of Strict-Transport-Security; empty: no such field.
  std::string_view hsts = "max-age=31536000";
};

void AppendNotice(Notice notice, const AnswerOptions& options,
                  std::string* out);

// A refused request: `status` and `why` from the scanner. Always closes.
void AppendRefusal(int status, std::string_view why, std::string* out);

// 303 to the root of the same host, with a cookie that lives `max_age_s`.
void AppendOpened(std::string_view cookie_name, std::string_view cookie_value,
                  long max_age_s, const AnswerOptions& options,
                  std::string* out);

// For the log.
int StatusOf(Notice notice);

}  // namespace carme::proxy

#endif  // CARME_PROXY_OWN_ANSWER_H_
