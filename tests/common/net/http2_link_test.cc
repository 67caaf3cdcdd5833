#include "common/net/http2/http2_link.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <functional>
#include <vector>

#include "common/net/tls/tls_stream.h"
#include "tests/common/net/loop_fixture.h"
#include "tests/common/net/test_ca.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::testing {
namespace {

// A frame as it is on the wire (RFC 9113 section 4.1).
std::string Frame(uint8_t type, uint8_t flags, uint32_t id,
                  const std::string& payload = "") {
  std::string frame;
  frame += static_cast<char>(payload.size() >> 16);
  frame += static_cast<char>(payload.size() >> 8);
  frame += static_cast<char>(payload.size());
  frame += static_cast<char>(type);
  frame += static_cast<char>(flags);
  for (int shift = 24; shift >= 0; shift -= 8) {
    frame += static_cast<char>(id >> shift);
  }
  return frame + payload;
}
const std::string kSettings = Frame(4, 0, 0);
constexpr char kPreface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

// A connection with its handshake behind it.
struct Wire {
  std::unique_ptr<net::TlsStream> opens, accepts;

  net::Task<void> Shake(net::EventLoop& loop) {
    static const TestCa ca("test ca");
    static const TestIdentity own = ca.Issue({"server.test"});
    net::TlsOptions server, client;
    server.certificate = own.certificate_pem;
    server.key = own.key_pem;
    client.peer_ca = ca.certificate_pem();
    SocketPair sockets = NewSocketPair();
    accepts = *net::TlsStream::Create(loop, std::move(sockets.a),
                                      *net::TlsContext::Server(server));
    const net::TlsServerName name{"server.test"};
    opens = *net::TlsStream::Create(loop, std::move(sockets.b),
                                    *net::TlsContext::Client(client), name);
    net::Latch done(loop, 1);
    auto serve = [&]() -> net::Task<void> {
      const absl::Status shaken = co_await accepts->Handshake();
      CHECK_THAT(shaken, IsOk());
      done.CountDown();
    };
    loop.Spawn(serve());
    const absl::Status shaken = co_await opens->Handshake();
    CHECK_THAT(shaken, IsOk());
    co_await done.Wait();
  }
};

using Streams = std::vector<std::unique_ptr<net::Stream>>;

// Both sides of a link; received data is in `arrived`.
class Linked {
 public:
  explicit Linked(net::EventLoop& loop) : loop_(loop), ended_(loop, 2) {}

  net::Task<void> Begin(net::Http2LinkOptions options = {}) {
    co_await wire_.Shake(loop_);
    opener = net::Http2Link::Create(loop_, *wire_.opens, options);
    options.on_stream = [this](std::unique_ptr<net::Stream> stream) {
      stream->ExpireAfter(kWaitTimeout);
      arrived.push_back(std::move(stream));
    };
    options.on_leave = [this] { asked_to_leave = true; };
    acceptor = net::Http2Link::Create(loop_, *wire_.accepts, options);
    loop_.Spawn(Serve(*opener, &wire_.opens, &opener_end));
    loop_.Spawn(Serve(*acceptor, &wire_.accepts, &acceptor_end));
  }
  net::Task<void> End() {
    arrived.clear();
    opener->Cut();
    co_await ended_.Wait();
  }
  // Until both sides have ended by themselves.
  net::Latch::Awaiter Ended() { return ended_.Wait(); }

  std::unique_ptr<net::Stream> Open() {
    auto stream = opener->Open();
    REQUIRE_THAT(stream, IsOk());
    (*stream)->ExpireAfter(kWaitTimeout);
    return *std::move(stream);
  }
  net::Task<void> Await(size_t streams) {
    while (arrived.size() < streams) co_await loop_.Yield();
  }

  std::shared_ptr<net::Http2Link> opener, acceptor;
  Streams arrived;
  bool asked_to_leave = false;
  absl::Status opener_end, acceptor_end;

 private:
  net::Task<void> Serve(net::Http2Link& link,
                        std::unique_ptr<net::TlsStream>* transport,
                        absl::Status* end) {
    *end = co_await link.Serve();
    transport->reset();  // hangs up
    ended_.CountDown();
  }
  net::EventLoop& loop_;
  net::Latch ended_;
  Wire wire_;
};

// How the opening side ends when its peer sends these bytes after the TLS
// handshake.
absl::Status EndOfOpenerAfter(const std::string& bytes, bool opener = true) {
  absl::Status end;
  bool hung_up = false;
  auto body = [&](net::EventLoop& loop) -> net::Task<void> {
    Wire wire;
    co_await wire.Shake(loop);
    net::TlsStream& good = opener ? *wire.opens : *wire.accepts;
    net::TlsStream& evil = opener ? *wire.accepts : *wire.opens;
    net::Http2LinkOptions options;
    if (!opener) {
      options.on_stream = [](const std::unique_ptr<net::Stream>&) {};
    }
    const auto link = net::Http2Link::Create(loop, good, options);
    net::Latch done(loop, 1);
    auto speak = [&]() -> net::Task<void> {
      evil.ExpireAfter(kWaitTimeout);
      const net::IoResult put = co_await evil.Write(bytes);
      (void)put;
      const std::string rest = co_await ReadAll(evil);
      hung_up = true;
      done.CountDown();
    };
    loop.Spawn(speak());
    end = co_await link->Serve();
    good.Finish().await_ready();
    good.Cancel();
    if (opener) {
      wire.opens.reset();
    } else {
      wire.accepts.reset();
    }
    co_await done.Wait();
  };
  RunOnLoop(body);
  CHECK(hung_up);
  return end;
}

TEST_CASE("link: the accepting side cannot open streams", "[net]") {
  // ":method GET" and the like, by HPACK's table, from the wrong side.
  const std::string request("\x82\x84\x87\x41\x01x", 6);
  CHECK_FALSE(EndOfOpenerAfter(kSettings + Frame(1, 5, 1, request)).ok());
  CHECK_FALSE(EndOfOpenerAfter(kSettings + Frame(1, 5, 2, request)).ok());
  // PUSH_PROMISE of stream 2 on stream 1.
  CHECK_FALSE(
      EndOfOpenerAfter(kSettings +
                       Frame(5, 4, 1, std::string("\0\0\0\2", 4) + request))
          .ok());
}

TEST_CASE("link: invalid HTTP/2 ends the connection", "[net]") {
  CHECK_FALSE(EndOfOpenerAfter("HTTP/1.1 200 OK\r\n\r\n").ok());
  CHECK_FALSE(EndOfOpenerAfter("GET / HTTP/1.1\r\n\r\n", false).ok());
}

TEST_CASE("link: many empty frames end the connection", "[net]") {
  for (const bool opener : {true, false}) {
    std::string flood = opener ? kSettings : kPreface + kSettings;
    // PINGs, which are answered, and PRIORITYs, which are not.
    const std::string frame =
        opener ? Frame(6, 0, 0, "12345678")
               : Frame(2, 0, 1, std::string("\0\0\0\0\1", 5));
    for (int i = 0; i < 3000; ++i) flood += frame;
    CHECK(absl::IsInvalidArgument(EndOfOpenerAfter(flood, opener)));
  }
}

TEST_CASE("link: a head beyond all sense ends it", "[net]") {
  // A field that is written out: 4,000 bytes.
  const std::string head = std::string("\x82\x40\x01x\x7f\xa1\x1e", 7);
  CHECK(absl::IsInvalidArgument(EndOfOpenerAfter(
      kPreface + kSettings + Frame(1, 5, 1, head + std::string(4000, 'x')),
      false)));
}

TEST_CASE("link: a silent peer is disconnected", "[net]") {
  absl::Status end;
  auto body = [&](net::EventLoop& loop) -> net::Task<void> {
    Wire wire;
    co_await wire.Shake(loop);
    net::Http2LinkOptions options;
    options.silence = absl::Milliseconds(60);
    const auto link = net::Http2Link::Create(loop, *wire.opens, options);
    end = co_await link->Serve();
  };
  RunOnLoop(body);
  CHECK(absl::IsDeadlineExceeded(end));
}

TEST_CASE("link: respects the peer's limit of streams", "[net]") {
  auto body = [&](net::EventLoop& loop) -> net::Task<void> {
    Linked linked(loop);
    net::Http2LinkOptions options;
    options.max_streams = 2;
    co_await linked.Begin(options);
    std::unique_ptr<net::Stream> first = linked.Open();
    const std::unique_ptr<net::Stream> second = linked.Open();
    CHECK(absl::IsResourceExhausted(linked.opener->Open().status()));
    first.reset();
    CHECK_THAT(linked.opener->Open(), IsOk());
    co_await linked.End();
  };
  RunOnLoop(body);
}

TEST_CASE("link: the end of the connection resets its streams", "[net]") {
  auto body = [&](net::EventLoop& loop) -> net::Task<void> {
    Linked linked(loop);
    co_await linked.Begin();
    const std::unique_ptr<net::Stream> stream = linked.Open();
    net::IoResult put = co_await stream->Write("hello");
    CHECK(put.error == 0);
    co_await linked.Await(1);
    linked.acceptor->Cut();
    char byte;
    const net::IoResult got = co_await stream->Read(&byte, 1);
    CHECK(got.error == ECONNRESET);
    put = co_await stream->Write("more");
    CHECK(put.error == EPIPE);
    CHECK(absl::IsUnavailable(linked.opener->Open().status()));
    co_await linked.End();
  };
  RunOnLoop(body);
}

TEST_CASE("link: resets an abandoned stream", "[net]") {
  auto body = [&](net::EventLoop& loop) -> net::Task<void> {
    Linked linked(loop);
    co_await linked.Begin();
    std::unique_ptr<net::Stream> stream = linked.Open();
    const net::IoResult put = co_await stream->Write("part");
    CHECK(put.error == 0);
    co_await linked.Await(1);
    stream.reset();
    const std::string seen = co_await ReadAll(*linked.arrived[0]);
    CHECK(seen == "part!" + std::to_string(ECONNRESET));
    co_await linked.End();
  };
  RunOnLoop(body);
}

TEST_CASE("link: each direction of a stream ends by itself", "[net]") {
  auto body = [&](net::EventLoop& loop) -> net::Task<void> {
    Linked linked(loop);
    co_await linked.Begin();
    const std::unique_ptr<net::Stream> stream = linked.Open();
    net::IoResult put = co_await stream->Write("question");
    CHECK(put.error == 0);
    put = co_await stream->Finish();
    CHECK(put.error == 0);
    co_await linked.Await(1);
    const std::string question = co_await ReadAll(*linked.arrived[0]);
    CHECK(question == "question");
    put = co_await linked.arrived[0]->Write("answer");
    CHECK(put.error == 0);
    put = co_await linked.arrived[0]->Finish();
    CHECK(put.error == 0);
    const std::string answer = co_await ReadAll(*stream);
    CHECK(answer == "answer");
    co_await linked.End();
  };
  RunOnLoop(body);
}

// Writes until so much is written, or until it is cut off.
net::Task<void> Pour(net::Stream& to, size_t whole, size_t* written) {
  const std::string chunk(16 * 1024, 'x');
  while (*written < whole) {
    const net::IoResult put = co_await to.Write(chunk);
    if (put.error != 0) co_return;
    *written += chunk.size();
  }
  const net::IoResult ended = co_await to.Finish();
  (void)ended;
}

TEST_CASE("link: a slow reader blocks only its writer", "[net]") {
  constexpr size_t kWhole = 4 * 1024 * 1024;
  auto body = [&](net::EventLoop& loop) -> net::Task<void> {
    Linked linked(loop);
    co_await linked.Begin();
    const std::unique_ptr<net::Stream> slow = linked.Open();
    size_t written = 0;
    loop.Spawn(Pour(*slow, kWhole, &written));
    co_await linked.Await(1);
    const std::unique_ptr<net::Stream> quick = linked.Open();
    size_t before = 1;
    // Round trips on one stream, until the other one has come to a stop.
    for (int turn = 0; before != written || turn < 20; ++turn) {
      before = written;
      net::IoResult put = co_await quick->Write("ping");
      CHECK(put.error == 0);
      co_await linked.Await(2);
      char bytes[4];
      net::IoResult got = co_await linked.arrived[1]->Read(bytes, 4);
      CHECK(got.bytes == 4);
      put = co_await linked.arrived[1]->Write("pong");
      CHECK(put.error == 0);
      got = co_await quick->Read(bytes, 4);
      CHECK(got.bytes == 4);
    }
    CHECK(written < kWhole / 4);
    const std::string all = co_await ReadAll(*linked.arrived[0]);
    CHECK(all.size() == kWhole);
    co_await linked.End();
  };
  RunOnLoop(body);
}

TEST_CASE("link: draining waits for its streams", "[net]") {
  auto body = [&](net::EventLoop& loop) -> net::Task<void> {
    Linked linked(loop);
    co_await linked.Begin();
    std::unique_ptr<net::Stream> stream = linked.Open();
    net::IoResult put = co_await stream->Write("before");
    CHECK(put.error == 0);
    co_await linked.Await(1);
    linked.opener->Drain();
    CHECK(absl::IsUnavailable(linked.opener->Open().status()));
    while (!linked.asked_to_leave) co_await loop.Yield();
    put = co_await stream->Write(" after");
    CHECK(put.error == 0);
    put = co_await stream->Finish();
    const std::string seen = co_await ReadAll(*linked.arrived[0]);
    CHECK(seen == "before after");
    stream.reset();
    linked.arrived.clear();
    co_await linked.Ended();
    CHECK_THAT(linked.opener_end, IsOk());
  };
  RunOnLoop(body);
}

}  // namespace
}  // namespace carme::testing
