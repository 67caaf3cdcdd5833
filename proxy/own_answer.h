// Answers that the proxy gives itself.
#ifndef CARME_PROXY_OWN_ANSWER_H_
#define CARME_PROXY_OWN_ANSWER_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "proxy/notice.h"

namespace carme::proxy {

struct AnswerOptions {
  bool page = false;       // a person sees it: HTML, else JSON
  bool head_only = false;  // the answer to HEAD
  bool close = false;
  std::string_view request_id;
  // Of notices, as NoticeFacts says.
  std::string_view portal_url;
  std::string_view state_path;
  std::string_view reason;
  std::optional<absl::Time> expected_start{};
  // The value of Strict-Transport-Security; empty: no such field.
  std::string_view hsts = "max-age=31536000";
};

void AppendNotice(Notice notice, const AnswerOptions& options,
                  std::string* out);

// 200, with how an app is, for the page that waits for it.
void AppendState(Notice notice, const AnswerOptions& options, std::string* out);

// A refused request: `status` and `why` from the scanner. Always closes.
void AppendRefusal(int status, std::string_view why, std::string* out);

// 303 to `path` of the same host, with a cookie for what is below it, which
// lives `max_age_s`.
void AppendOpened(std::string_view path, std::string_view cookie_name,
                  std::string_view cookie_value, long max_age_s,
                  const AnswerOptions& options, std::string* out);

}  // namespace carme::proxy

#endif  // CARME_PROXY_OWN_ANSWER_H_
