// The smallest HTTP server there is: one request, one answer, the end. For what
// needs no more and must not disturb the rest.
#ifndef CARME_PROXY_LOCAL_REPLY_ADMIN_HTTP_H_
#define CARME_PROXY_LOCAL_REPLY_ADMIN_HTTP_H_

#include <functional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "common/net/event_loop.h"
#include "common/net/task.h"
#include "common/unique_fd.h"
#include "proxy/http/http1_head.h"

namespace carme::proxy {

// `head` is for use when `scan` is kDone; else it is kRefused.
using AdminHandler =
    std::function<std::string(const ScanResult& scan, const RequestHead& head)>;

// Reads one head from `fd`, of at most 8 KiB and for at most `timeout`, writes
// what `answer` gives, ends the connection. `answer` must outlive it.
net::Task<void> ServeOneRequest(net::EventLoop& loop, UniqueFd fd,
                                absl::Duration timeout,
                                const AdminHandler& answer);

// An answer of text, with Connection: close. `status` is "404 Not Found";
// `fields` are lines with CRLF.
std::string TextResponse(std::string_view status, std::string_view fields,
                         std::string_view text);
// To a head that was refused.
std::string RejectionResponse(const ScanResult& scan);

}  // namespace carme::proxy

#endif  // CARME_PROXY_LOCAL_REPLY_ADMIN_HTTP_H_
