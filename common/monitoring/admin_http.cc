#include "common/monitoring/admin_http.h"

#include <memory>
#include <utility>

#include "common/net/socket.h"
#include "common/net/stream.h"

namespace carme {
namespace {

constexpr size_t kMaxHeadBytes = 8192;
constexpr size_t kMaxLingerBytes = 64 * 1024;
constexpr absl::Duration kWriteTimeout = absl::Seconds(10);
constexpr absl::Duration kLingerTimeout = absl::Seconds(1);

}  // namespace

net::Task<void> ServeOneRequest(net::EventLoop& loop, UniqueFd fd,
                                absl::Duration timeout,
                                const AdminHandler& answer) {
  absl::StatusOr<std::unique_ptr<net::Stream>> made =
      net::NewSocketStream(loop, std::move(fd));
  if (!made.ok()) co_return;
  net::Stream& stream = **made;
  stream.ExpireAfter(timeout);
  HeadLimits limits;
  limits.max_bytes = kMaxHeadBytes;
  std::string held;
  RequestHead head;
  ScanResult scan;
  while (scan.state == ScanState::kMore) {
    net::IoResult got =
        co_await stream.Read(loop.scratch(), net::EventLoop::kScratchBytes);
    if (got.error != 0 || got.bytes == 0) co_return;
    held.append(loop.scratch(), got.bytes);
    scan = ScanRequest(held, limits, &head);
  }
  const std::string whole = answer(scan, head);
  stream.ExpireAfter(kWriteTimeout);
  net::IoResult written = co_await stream.Write(whole);
  if (written.error != 0) co_return;
  stream.ExpireAfter(kLingerTimeout);
  written = co_await stream.Finish();
  // Closing a socket with unread bytes resets the connection, which may discard
  // the response.
  size_t lingering = 0;
  while (written.error == 0 && lingering < kMaxLingerBytes) {
    net::IoResult got =
        co_await stream.Read(loop.scratch(), net::EventLoop::kScratchBytes);
    if (got.error != 0 || got.bytes == 0) co_return;
    lingering += got.bytes;
  }
}

std::string TextResponse(std::string_view status, std::string_view fields,
                         std::string_view text) {
  std::string answer = "HTTP/1.1 ";
  answer.append(status).append("\r\n").append(fields);
  answer.append(
      "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
      "Connection: close\r\nContent-Type: text/plain; charset=utf-8\r\n"
      "Content-Length: ");
  answer.append(std::to_string(text.size())).append("\r\n\r\n").append(text);
  return answer;
}

std::string RejectionResponse(const ScanResult& scan) {
  return TextResponse(std::to_string(scan.status) + " Refused", "",
                      std::string(scan.error) + "\n");
}

}  // namespace carme
