// Formats the responses that the proxy sends itself.
#ifndef CARME_PROXY_LOCAL_REPLY_LOCAL_REPLY_H_
#define CARME_PROXY_LOCAL_REPLY_LOCAL_REPLY_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "proxy/local_reply/reply_reason.h"

namespace carme::proxy {

struct LocalReplyOptions {
  bool page = false;       // HTML for a user, else JSON
  bool api = false;        // of the portal's API: JSON of the Connect protocol
  bool head_only = false;  // response to HEAD
  bool close = false;
  std::string_view request_id;
  // As in ErrorPageContext.
  std::string_view portal_url;
  std::string_view status_path;
  std::string_view reason;
  std::optional<absl::Time> expected_start{};
  std::optional<absl::Time> ends_at{};
  std::string_view job_url{};
  // The value of Strict-Transport-Security; empty: the field is not sent.
  std::string_view hsts = "max-age=31536000";
};

void AppendLocalReply(ReplyReason reply_reason,
                      const LocalReplyOptions& options, std::string* out);

// 200 with the status of an app, which error pages and the overlay poll.
void AppendAppStatus(ReplyReason reply_reason, const LocalReplyOptions& options,
                     std::string* out);

// 200 with the script of the overlay (app_overlay.h).
void AppendOverlayScript(const LocalReplyOptions& options, std::string* out);

// For a malformed head, or a malformed or late body.
struct Rejection {
  int status = 400;
  std::string_view error;
  bool api = false;  // of the portal's API: JSON of the Connect protocol
  std::string_view request_id{};  // for `api`
  // Cookies made the head too large, and the host is one of Carme's: asks the
  // browser to delete them, because it would send them with each request.
  bool clear_cookies = false;
};

// Always closes the connection.
void AppendRejection(const Rejection& refusal, std::string* out);

// 303 to `path` on the same host, with a cookie for this path that expires
// after `max_age_s`.
void AppendOpened(std::string_view path, std::string_view cookie_name,
                  std::string_view cookie_value, long max_age_s,
                  const LocalReplyOptions& options, std::string* out);

}  // namespace carme::proxy

#endif  // CARME_PROXY_LOCAL_REPLY_LOCAL_REPLY_H_
