// Error pages: HTML without other resources, which also refreshes without
// script.
#ifndef CARME_PROXY_LOCAL_REPLY_ERROR_PAGE_H_
#define CARME_PROXY_LOCAL_REPLY_ERROR_PAGE_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "proxy/local_reply/reply_reason.h"

namespace carme::proxy {

// Values from outside; they are escaped here.
struct ErrorPageContext {
  std::string_view reason{};  // why the job waits, how it ended
  std::optional<absl::Time> expected_start{};
  std::string_view portal_url{};
  // Path of the app's status on the same origin; empty: none.
  std::string_view status_path{};
  std::string_view request_id{};
  // For JSON only: the end of the job's walltime, and its page in the portal.
  std::optional<absl::Time> ends_at{};
  std::string_view job_url{};
};

std::string ErrorPageHtml(ReplyReason reply_reason,
                          const ErrorPageContext& facts);

// The Content-Security-Policy of error pages: one style sheet and one script,
// by digest, and requests to their own origin.
const std::string& ErrorPagePolicy();

// The same as JSON (RFC 9457): `title`, `status`, `detail`, and `code`,
// `reason`, `expected_start`, `ends_at`, `refresh`, `portal`, `job`,
// `request_id` where known.
std::string ErrorPageJson(ReplyReason reply_reason,
                          const ErrorPageContext& facts);

}  // namespace carme::proxy

#endif  // CARME_PROXY_LOCAL_REPLY_ERROR_PAGE_H_
