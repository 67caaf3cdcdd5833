// A minimal HTTP server: one request and one response per connection. For
// metrics and redirects to https.
#ifndef CARME_COMMON_MONITORING_ADMIN_HTTP_H_
#define CARME_COMMON_MONITORING_ADMIN_HTTP_H_

#include <functional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "common/http1/head.h"
#include "common/net/event_loop.h"
#include "common/net/task.h"
#include "common/unique_fd.h"

namespace carme {

// `head` is valid when `scan` is kDone; else `scan` is kRefused.
using AdminHandler =
    std::function<std::string(const ScanResult& scan, const RequestHead& head)>;

// Reads one head of up to 8 KiB from `fd` within `timeout`, writes the response
// of `answer`, and closes the connection. `answer` must outlive the task.
net::Task<void> ServeOneRequest(net::EventLoop& loop, UniqueFd fd,
                                absl::Duration timeout,
                                const AdminHandler& answer);

// A plain-text response with Connection: close. `status` is, for example, "404
// Not Found"; `fields` are lines with CRLF.
std::string TextResponse(std::string_view status, std::string_view fields,
                         std::string_view text);
// The response to a rejected head.
std::string RejectionResponse(const ScanResult& scan);

}  // namespace carme

#endif  // CARME_COMMON_MONITORING_ADMIN_HTTP_H_
