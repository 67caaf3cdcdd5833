#include "tests/proxy/protocols/websocket_transports.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <utility>

#include "tests/proxy/fixtures/http2_client.h"

namespace carme::testing {
namespace {

constexpr char kName[] = "Sec-WebSocket-Extensions";

std::string Handshake(const std::string& more, const std::string& extensions) {
  return Request("GET /", kJobHost,
                 "Connection: Upgrade\r\nUpgrade: websocket\r\n"
                 "Sec-WebSocket-Version: 13\r\n"
                 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
                     (extensions.empty()
                          ? ""
                          : std::string(kName) + ": " + extensions + "\r\n") +
                     more);
}

class Straight final : public Websocket {
 public:
  bool Open(int port, const std::string& extensions) {
    auto address =
        net::Address::FromIp("127.0.0.1", static_cast<uint32_t>(port));
    fd_.reset(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const timeval limit = absl::ToTimeval(kWaitTimeout);
    const int on = 1;
    setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(fd_.get(), address->get(), address->size()) != 0 ||
        !Send(Handshake("", extensions))) {
      return false;
    }
    TestResponse response;
    size_t end;
    while ((end = response.head.find("\r\n\r\n")) == std::string::npos) {
      const std::string more = Read();
      if (more.empty()) return false;
      response.head += more;
    }
    held_ = response.head.substr(end + 4);
    response.head.resize(end + 4);
    extensions_ = response.Value(kName);
    return response.head.compare(0, 12, "HTTP/1.1 101") == 0;
  }
  bool Send(const std::string& bytes) override {
    size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t n = send(fd_.get(), bytes.data() + sent,
                             bytes.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) return false;
      sent += static_cast<size_t>(n);
    }
    return true;
  }
  std::string Read() override {
    if (!held_.empty()) return std::exchange(held_, "");
    std::string bytes(65536, '\0');
    const ssize_t n = recv(fd_.get(), bytes.data(), bytes.size(), 0);
    bytes.resize(n > 0 ? static_cast<size_t>(n) : 0);
    return bytes;
  }

 private:
  UniqueFd fd_;
  std::string held_;
};

class OverHttp1 final : public Websocket {
 public:
  explicit OverHttp1(ProxyFixture& fixture)
      : client_(fixture.port, fixture.ClientOptions(kJobHost)) {}
  bool Open(const std::string& cookie, const std::string& extensions) {
    const TestResponse response = client_.Ask(Handshake(
        "Cookie: " + cookie + "\r\nOrigin: https://" + kJobHost + "\r\n",
        extensions));
    extensions_ = response.Value(kName);
    return response.status == 101;
  }
  bool Send(const std::string& bytes) override { return client_.Send(bytes); }
  std::string Read() override { return client_.ReadSome(); }

 private:
  TlsClient client_;
};

class OverHttp2 final : public Websocket {
 public:
  explicit OverHttp2(ProxyFixture& fixture)
      : client_(fixture.port, fixture.ClientOptions(kJobHost), {}) {}
  bool Open(const std::string& cookie, const std::string& extensions) {
    Http2List fields = {{":method", "CONNECT"},
                        {":protocol", "websocket"},
                        {":scheme", "https"},
                        {":authority", kJobHost},
                        {":path", "/"},
                        {"sec-websocket-version", "13"},
                        {"origin", std::string("https://") + kJobHost},
                        {"cookie", cookie}};
    if (!extensions.empty()) {
      fields.emplace_back("sec-websocket-extensions", extensions);
    }
    id_ = client_.Open(fields, false);
    client_.ReadUntil(
        [&] { return answer().status != 0 || answer().reset.has_value(); });
    extensions_ = answer().Value("sec-websocket-extensions");
    return answer().status == 200;
  }
  bool Send(const std::string& bytes) override {
    return client_.SendBody(id_, bytes, false);
  }
  std::string Read() override {
    client_.ReadUntil([&] {
      return !answer().body.empty() || answer().ended ||
             answer().reset.has_value();
    });
    return std::exchange(answer().body, "");
  }

 private:
  Http2Answer& answer() { return client_.answer(id_); }
  Http2Client client_;
  int32_t id_ = 0;
};

}  // namespace

std::unique_ptr<Websocket> OpenWebsocket(Way way, ProxyFixture& fixture,
                                         int app_port,
                                         const std::string& extensions) {
  if (way == Way::kStraight) {
    auto made = std::make_unique<Straight>();
    if (!made->Open(app_port, extensions)) return nullptr;
    return made;
  }
  if (way == Way::kHttp1) {
    auto made = std::make_unique<OverHttp1>(fixture);
    if (!made->Open(fixture.cookie, extensions)) return nullptr;
    return made;
  }
  auto made = std::make_unique<OverHttp2>(fixture);
  if (!made->Open(fixture.cookie, extensions)) return nullptr;
  return made;
}

}  // namespace carme::testing
