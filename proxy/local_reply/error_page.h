// A notice as a page of its own: no other resource, and without a script it
// goes on as well.
#ifndef CARME_PROXY_LOCAL_REPLY_ERROR_PAGE_H_
#define CARME_PROXY_LOCAL_REPLY_ERROR_PAGE_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "proxy/local_reply/reply_reason.h"

namespace carme::proxy {

// What goes with a notice, from elsewhere; all of it is escaped here.
struct ErrorPageContext {
  std::string_view reason{};  // why it waits, how it ended
  std::optional<absl::Time> expected_start{};
  std::string_view portal_url{};
  // Where to ask how the job is, on the same origin; empty: nowhere.
  std::string_view status_path{};
  std::string_view request_id{};
};

std::string ErrorPageHtml(ReplyReason reply_reason,
                          const ErrorPageContext& facts);

// The value of Content-Security-Policy that goes with each of them: one style
// sheet and one script, by their digests, and questions to its own origin.
const std::string& ErrorPagePolicy();

// The same for programs, as JSON (RFC 9457): `title`, `status`, `detail`, and
// besides `code`, `reason`, `expected_start`, `goes_on`, `portal`,
// `request_id`, each only where there is one.
std::string ErrorPageJson(ReplyReason reply_reason,
                          const ErrorPageContext& facts);

}  // namespace carme::proxy

#endif  // CARME_PROXY_LOCAL_REPLY_ERROR_PAGE_H_
