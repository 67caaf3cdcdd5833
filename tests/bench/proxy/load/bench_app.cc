#include "tests/bench/proxy/load/bench_app.h"

#include <openssl/evp.h>

#include <utility>

#include "common/listen.h"
#include "proxy/access/access_grant.h"
#include "tests/bench/proxy/load/report.h"

namespace carme::bench {
namespace {

constexpr std::string_view kEndOfHead = "\r\n\r\n";
constexpr std::string_view kMark("CARME1\0\0", 8);
constexpr size_t kLargePart = 64 * 1024;
constexpr int kLargeParts = 16;

std::string HeadFor(size_t length) {
  return "HTTP/1.1 200 OK\r\nServer: TornadoServer/6.4\r\n"
         "Content-Type: application/json\r\n"
         "Date: Sun, 22 Nov 2026 12:00:00 GMT\r\n"
         "X-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\n"
         "Content-Length: " +
         std::to_string(length) + "\r\n\r\n";
}

std::string_view ValueOf(std::string_view head, std::string_view name) {
  const size_t at = head.find(name);
  if (at == std::string_view::npos) return {};
  std::string_view rest = head.substr(at + name.size());
  return rest.substr(0, rest.find("\r\n"));
}

}  // namespace

std::string AcceptFor(std::string_view key) {
  const std::string text =
      std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  unsigned char digest[20];
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), digest, &size, EVP_sha1(), nullptr);
  unsigned char encoded[32];
  EVP_EncodeBlock(encoded, digest, static_cast<int>(size));
  return reinterpret_cast<char*>(encoded);
}

BenchApp::BenchApp(net::EventLoop& loop,
                   std::shared_ptr<const net::TlsContext> tls,
                   VerifyingKey grants)
    : loop_(loop),
      tls_(std::move(tls)),
      grants_(std::move(grants)),
      small_(HeadFor(1024) + std::string(1024, 's')),
      large_head_(HeadFor(kLargePart * kLargeParts)),
      large_part_(kLargePart, 'l') {
  listening_ = *ListenTcp("127.0.0.1:0", 4096);
  port_ = *PortOf(listening_.get());
  listener_ = *net::Listener::Create(loop_, listening_.get(),
                                     [this](UniqueFd fd, const net::Address&) {
                                       loop_.Spawn(Serve(std::move(fd)));
                                     });
}

bool BenchApp::TakeGrant(std::string* read) const {
  constexpr size_t kFixed = 12;
  if (read->size() < kFixed) return false;
  size_t size = 0;
  for (size_t i = kMark.size(); i < kFixed; ++i) {
    size = size << 8 | static_cast<unsigned char>((*read)[i]);
  }
  if (read->size() < kFixed + size) return false;
  auto access = proxy::ParseAccessGrant(read->substr(kFixed, size), &grants_);
  if (!access.ok()) GiveUp("the app was shown a wrong grant");
  read->erase(0, kFixed + size);
  return true;
}

net::Task<void> BenchApp::Serve(UniqueFd fd) {
  auto made = net::TlsStream::Create(loop_, std::move(fd), tls_);
  if (!made.ok()) GiveUp(made.status().ToString());
  net::Stream& stream = **made;
  absl::Status shaken = co_await (*made)->Handshake();
  if (!shaken.ok()) co_return;
  std::string held;  // a head that has not come whole
  bool first = true;
  for (;;) {
    net::IoResult got =
        co_await stream.Read(loop_.scratch(), net::EventLoop::kScratchBytes);
    if (got.error != 0 || got.bytes == 0) co_return;
    held.append(loop_.scratch(), got.bytes);
    if (first) {
      first = held.front() == kMark.front() && !TakeGrant(&held);
      if (first) continue;
    }
    size_t end;
    while ((end = held.find(kEndOfHead)) != std::string::npos) {
      const std::string head = held.substr(0, end + kEndOfHead.size());
      held.erase(0, head.size());
      const bool again = co_await Answer(stream, head);
      if (!again) co_return;
    }
  }
}

net::Task<bool> BenchApp::Answer(net::Stream& stream, std::string_view head) {
  net::IoResult put;
  if (head.substr(0, 8) == "GET /1m ") {
    put = co_await stream.Write(large_head_);
    for (int i = 0; i < kLargeParts && put.error == 0; ++i) {
      put = co_await stream.Write(large_part_);
    }
  } else if (head.substr(0, 8) == "GET /ws ") {
    // Some proxies write fields in lower case.
    std::string_view key = ValueOf(head, "Sec-WebSocket-Key: ");
    if (key.empty()) key = ValueOf(head, "sec-websocket-key: ");
    std::string answer =
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
        "Upgrade: websocket\r\nSec-WebSocket-Accept: ";
    answer += AcceptFor(key) + "\r\n\r\n";
    put = co_await stream.Write(answer);
    if (put.error == 0) co_await Echo(stream);
    co_return false;
  } else {
    put = co_await stream.Write(small_);
  }
  co_return put.error == 0;
}

// Frames of one size, masked as a browser's are (RFC 6455 section 5.2).
net::Task<void> BenchApp::Echo(net::Stream& stream) {
  constexpr size_t kMask = 2, kData = 6;
  std::string held;
  for (;;) {
    net::IoResult got =
        co_await stream.Read(loop_.scratch(), net::EventLoop::kScratchBytes);
    if (got.error != 0 || got.bytes == 0) co_return;
    held.append(loop_.scratch(), got.bytes);
    while (held.size() >= kData + kFrameBytes) {
      std::string frame = {'\x82', static_cast<char>(kFrameBytes)};
      for (size_t i = 0; i < kFrameBytes; ++i) {
        frame += static_cast<char>(held[kData + i] ^ held[kMask + i % 4]);
      }
      held.erase(0, kData + kFrameBytes);
      net::IoResult put = co_await stream.Write(frame);
      if (put.error != 0) co_return;
    }
    // At rest it holds nothing, so that thousands cost little.
    if (held.empty()) std::string().swap(held);
  }
}

}  // namespace carme::bench
