#include "proxy/one_answer.h"

#include <memory>
#include <utility>

#include "common/net/socket.h"
#include "common/net/stream.h"

namespace carme::proxy {
namespace {

constexpr size_t kMostHeadBytes = 8192;
constexpr size_t kMostLingering = 64 * 1024;
constexpr absl::Duration kWriteTime = absl::Seconds(10);
constexpr absl::Duration kLingerTime = absl::Seconds(1);

}  // namespace

net::Task<void> AnswerOnce(net::EventLoop& loop, UniqueFd fd,
                           absl::Duration patience, const OneAnswer& answer) {
  absl::StatusOr<std::unique_ptr<net::Stream>> made =
      net::NewSocketStream(loop, std::move(fd));
  if (!made.ok()) co_return;
  net::Stream& stream = **made;
  stream.ExpireAfter(patience);
  HeadLimits limits;
  limits.most_bytes = kMostHeadBytes;
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
  stream.ExpireAfter(kWriteTime);
  net::IoResult put = co_await stream.Write(whole);
  if (put.error != 0) co_return;
  stream.ExpireAfter(kLingerTime);
  put = co_await stream.Finish();
  // A socket closed over unread bytes is reset, and takes the answer with it.
  size_t lingering = 0;
  while (put.error == 0 && lingering < kMostLingering) {
    net::IoResult got =
        co_await stream.Read(loop.scratch(), net::EventLoop::kScratchBytes);
    if (got.error != 0 || got.bytes == 0) co_return;
    lingering += got.bytes;
  }
}

std::string TextAnswer(std::string_view status, std::string_view fields,
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

std::string RefusalAnswer(const ScanResult& scan) {
  return TextAnswer(std::to_string(scan.status) + " Refused", "",
                    std::string(scan.why) + "\n");
}

}  // namespace carme::proxy
