#include "tests/bench/proxy/load/client.h"

#include <strings.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "common/net/socket.h"

namespace carme::bench {
namespace {

constexpr absl::Duration kWaitTimeout = absl::Seconds(30);

size_t LengthOf(std::string_view head) {
  static constexpr std::string_view kName = "\r\ncontent-length:";
  for (size_t at = head.find("\r\n"); at != std::string_view::npos;
       at = head.find("\r\n", at + 2)) {
    if (head.size() - at > kName.size() &&
        strncasecmp(head.data() + at, kName.data(), kName.size()) == 0) {
      return std::strtoul(head.data() + at + kName.size(), nullptr, 10);
    }
  }
  return 0;
}

}  // namespace

std::string RequestFor(const Target& target, const std::string& path,
                       const std::string& fields) {
  return "GET " + path + " HTTP/1.1\r\nHost: " + target.host +
         "\r\n"
         "Connection: keep-alive\r\n"
         "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 "
         "(KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36\r\n"
         "Accept: */*\r\nSec-Fetch-Site: same-origin\r\n"
         "Sec-Fetch-Mode: cors\r\nSec-Fetch-Dest: empty\r\n"
         "Referer: https://" +
         target.host +
         "/lab/tree/notebook.ipynb\r\n"
         "Accept-Encoding: gzip, deflate, br\r\n"
         "Accept-Language: en-GB,en;q=0.9\r\n" +
         fields + "Cookie: " + target.cookie +
         "; _xsrf=2|4a1f62c0|b6b2c3f0c8b5d0d2a5f3e1c4b7a8d9e0|1795347600"
         "\r\n\r\n";
}

std::string WebsocketRequestFor(const Target& target) {
  return "GET /ws HTTP/1.1\r\nHost: " + target.host +
         "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
         "Origin: https://" +
         target.host +
         "\r\nSec-WebSocket-Version: 13\r\n"
         "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nCookie: " +
         target.cookie + "\r\n\r\n";
}

net::Task<std::unique_ptr<net::TlsStream>> ConnectTo(net::EventLoop& loop,
                                                     const Target& target) {
  absl::StatusOr<UniqueFd> fd =
      co_await net::Connect(loop, target.address, kWaitTimeout);
  if (!fd.ok()) co_return nullptr;
  net::TlsServerName name;
  name.dns = target.host;
  auto stream = net::TlsStream::Create(loop, *std::move(fd), target.tls, name);
  if (!stream.ok()) co_return nullptr;
  (*stream)->ExpireAfter(kWaitTimeout);
  absl::Status shaken = co_await (*stream)->Handshake();
  if (!shaken.ok()) co_return nullptr;
  co_return *std::move(stream);
}

net::Task<Answer> Ask(net::Stream& stream, const std::string& request,
                      bool keep_head) {
  Answer answer;
  stream.ExpireAfter(kWaitTimeout);
  net::IoResult put = co_await stream.Write(request);
  if (put.error != 0) co_return answer;
  net::EventLoop& loop = stream.loop();
  std::string held;
  size_t missing = 0;
  int status = 0;
  do {
    net::IoResult got =
        co_await stream.Read(loop.scratch(), net::EventLoop::kScratchBytes);
    if (got.error != 0 || got.bytes == 0) co_return answer;
    if (status != 0) {
      missing -= std::min(missing, got.bytes);
      continue;
    }
    std::string_view text(loop.scratch(), got.bytes);
    if (!held.empty()) text = held.append(text);
    const size_t end = text.find("\r\n\r\n");
    if (end == std::string_view::npos) {
      if (held.empty()) held.assign(text);
      continue;
    }
    const std::string_view head = text.substr(0, end + 4);
    if (head.size() < 12) co_return answer;
    status = std::atoi(head.data() + 9);
    answer.body_bytes = status == 101 || status == 204 ? 0 : LengthOf(head);
    if (keep_head || status != 200) answer.head = head;
    const size_t here = text.size() - head.size();
    missing = answer.body_bytes - std::min(answer.body_bytes, here);
  } while (status == 0 || missing > 0);
  answer.status = status;
  co_return answer;
}

net::Task<Answer> AskOnce(net::EventLoop& loop, const Target& target,
                          std::string request) {
  std::unique_ptr<net::TlsStream> stream = co_await ConnectTo(loop, target);
  Answer answer;
  if (stream == nullptr) co_return answer;
  answer = co_await Ask(*stream, request, true);
  net::IoResult finished = co_await stream->Finish();
  (void)finished;
  co_return answer;
}

net::Task<bool> ReadBytes(net::Stream& stream, size_t count) {
  net::EventLoop& loop = stream.loop();
  while (count > 0) {
    net::IoResult got = co_await stream.Read(
        loop.scratch(), std::min(count, net::EventLoop::kScratchBytes));
    if (got.error != 0 || got.bytes == 0) co_return false;
    count -= got.bytes;
  }
  co_return true;
}

}  // namespace carme::bench
