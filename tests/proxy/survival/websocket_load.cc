#include "tests/proxy/survival/websocket_load.h"

#include <algorithm>
#include <utility>

#include "common/listen.h"
#include "common/net/tls/tls_stream.h"
#include "tests/support/wait_for.h"

namespace carme::testing {
namespace {

constexpr int kOpeners = 16;
constexpr absl::Duration kBetween = absl::Milliseconds(500);
constexpr size_t kWord = 8;

// Until there are so many, or the end.
net::Task<std::string> ReadSome(net::Stream& stream, size_t wanted) {
  std::string all;
  char bytes[256];
  while (all.size() < wanted) {
    net::IoResult got = co_await stream.Read(
        bytes, std::min(sizeof bytes, wanted - all.size()));
    if (got.error != 0 || got.bytes == 0) break;
    all.append(bytes, got.bytes);
  }
  co_return all;
}

// Until the head's end and what is to be behind it.
net::Task<bool> ReadPast(net::Stream& stream, std::string mark) {
  std::string all;
  while (all.size() < 8192 && all.find(mark) == std::string::npos) {
    std::string more = co_await ReadSome(stream, 1);
    if (more.empty()) co_return false;
    all += more;
  }
  co_return true;
}

}  // namespace

EchoLoop::EchoLoop() {
  listening_ = *ListenTcp("127.0.0.1:0");
  port_ = *PortOf(listening_.get());
  loop_ = *net::EventLoop::Create();
  listener_ = *net::Listener::Create(*loop_, listening_.get(),
                                     [this](UniqueFd fd, const net::Address&) {
                                       loop_->Spawn(Serve(std::move(fd)));
                                     });
  thread_ = std::thread([this] { loop_->Run(); });
}

EchoLoop::~EchoLoop() {
  loop_->Stop();
  thread_.join();
  listener_.reset();
}

net::Task<void> EchoLoop::Serve(UniqueFd fd) {
  auto stream = net::NewSocketStream(*loop_, std::move(fd));
  if (!stream.ok()) co_return;
  bool asked = co_await ReadPast(**stream, "\r\n\r\n");
  if (!asked) co_return;
  net::IoResult put = co_await (*stream)->Write(
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
      "Upgrade: websocket\r\nSec-WebSocket-Accept: x\r\n\r\nhello");
  while (put.error == 0) {
    char bytes[256];
    net::IoResult got = co_await (*stream)->Read(bytes, sizeof bytes);
    if (got.error != 0 || got.bytes == 0) co_return;
    put = co_await (*stream)->Write({bytes, got.bytes});
  }
}

WebsocketLoad::WebsocketLoad(const Options& options)
    : options_(options), rounds_(static_cast<size_t>(options.members)) {
  net::TlsOptions tls;
  tls.peer_ca = options.ca_pem;
  tls.alpn = "http/1.1";
  tls_ = *net::TlsContext::Client(tls);
  loop_ = *net::EventLoop::Create();
  thread_ = std::thread([this] {
    for (int i = 0; i < kOpeners; ++i) loop_->Spawn(OpenSome());
    loop_->Run();
  });
}

WebsocketLoad::~WebsocketLoad() { Leave(); }

void WebsocketLoad::Leave() {
  if (!thread_.joinable()) return;
  leaving_ = true;
  loop_->Stop();
  thread_.join();
}

int WebsocketLoad::fewest_rounds() const {
  int fewest = INT32_MAX;
  for (const auto& rounds : rounds_) fewest = std::min(fewest, rounds.load());
  return fewest;
}

net::Task<void> WebsocketLoad::OpenSome() {
  auto address =
      net::Address::FromIp("127.0.0.1", static_cast<uint32_t>(options_.port));
  while (next_ < options_.members) {
    const int member = next_++;
    auto fd = co_await net::Connect(*loop_, *address, kWaitTimeout);
    if (!fd.ok()) {
      lost_ += leaving_ ? 0 : 1;
      continue;
    }
    auto stream = net::TlsStream::Create(*loop_, *std::move(fd), tls_,
                                         net::TlsServerName{options_.host});
    if (!stream.ok()) {
      ++lost_;
      continue;
    }
    (*stream)->ExpireAfter(kWaitTimeout);
    absl::Status shaken = co_await (*stream)->Handshake();
    bool good = shaken.ok();
    if (good) good = co_await Open(**stream);
    if (!good) {
      lost_ += leaving_ ? 0 : 1;
      continue;
    }
    ++open_;
    loop_->Spawn(Talk(*std::move(stream), member));
  }
}

net::Task<bool> WebsocketLoad::Open(net::Stream& stream) {
  std::string request = "GET /ws HTTP/1.1\r\nHost: " + options_.host;
  request += "\r\nCookie: " + options_.cookie;
  request += "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n";
  request += "Origin: https://" + options_.host;
  request +=
      "\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  net::IoResult put = co_await stream.Write(request);
  if (put.error != 0) co_return false;
  bool greeted = co_await ReadPast(stream, "\r\n\r\nhello");
  co_return greeted;
}

net::Task<void> WebsocketLoad::Talk(std::unique_ptr<net::Stream> stream,
                                    int member) {
  for (int round = 1;; ++round) {
    stream->ExpireAfter(kWaitTimeout);
    std::string word = std::to_string(round);
    word.resize(kWord, '.');
    net::IoResult put = co_await stream->Write(word);
    std::string echo;
    if (put.error == 0) echo = co_await ReadSome(*stream, kWord);
    if (echo != word) break;
    rounds_[static_cast<size_t>(member)] = round;
    int slept = co_await net::Sleep(*loop_, kBetween);
    if (slept != 0) break;
  }
  lost_ += leaving_ ? 0 : 1;
}

}  // namespace carme::testing
