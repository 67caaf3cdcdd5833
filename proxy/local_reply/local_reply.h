// Answers that the proxy gives itself.
#ifndef CARME_PROXY_LOCAL_REPLY_LOCAL_REPLY_H_
#define CARME_PROXY_LOCAL_REPLY_LOCAL_REPLY_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "proxy/local_reply/reply_reason.h"

namespace carme::proxy {

struct LocalReplyOptions {
  bool page = false;       // a person sees it: HTML, else JSON
  bool api = false;        // of the portal's API: JSON as Connect has it
  bool head_only = false;  // the answer to HEAD
  bool close = false;
  std::string_view request_id;
  // Of notices, as ErrorPageContext says.
  std::string_view portal_url;
  std::string_view status_path;
  std::string_view reason;
  std::optional<absl::Time> expected_start{};
  // The value of Strict-Transport-Security; empty: no such field.
  std::string_view hsts = "max-age=31536000";
};

void AppendLocalReply(ReplyReason reply_reason,
                      const LocalReplyOptions& options, std::string* out);

// 200, with how an app is, for the page that waits for it.
void AppendAppStatus(ReplyReason reply_reason, const LocalReplyOptions& options,
                     std::string* out);

// A request that the scanner refused, or whose body is malformed or late.
struct Rejection {
  int status = 400;
  std::string_view error;
  bool api = false;               // of the portal's API: JSON as Connect has it
  std::string_view request_id{};  // of `api`
  // Its cookies are the reason, and the host is one of ours: the browser is
  // asked to delete them, because it would send them with every request.
  bool clear_cookies = false;
};

// Always closes.
void AppendRejection(const Rejection& refusal, std::string* out);

// 303 to `path` of the same host, with a cookie for what is below it, which
// lives `max_age_s`.
void AppendOpened(std::string_view path, std::string_view cookie_name,
                  std::string_view cookie_value, long max_age_s,
                  const LocalReplyOptions& options, std::string* out);

}  // namespace carme::proxy

#endif  // CARME_PROXY_LOCAL_REPLY_LOCAL_REPLY_H_
