#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <catch2/catch.hpp>
#include <cerrno>

#include "common/listen.h"
#include "tests/common/net/loop_fixture.h"
#include "tests/support/held_port.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::testing {
namespace {

TEST_CASE("connect: refused without a listener", "[net]") {
  const HeldPort port;
  auto body = [&](net::EventLoop& loop) -> net::Task<void> {
    auto address =
        net::Address::FromIp("127.0.0.1", static_cast<uint32_t>(port.number()));
    auto fd = co_await net::Connect(loop, *address, kWaitTimeout);
    CHECK_THAT(fd, StatusIs(absl::StatusCode::kUnavailable));
  };
  RunOnLoop(body);
}

TEST_CASE("stream: a deadline fails a pending operation once", "[net]") {
  SocketPair pair = NewSocketPair();
  auto body = [&](net::EventLoop& loop) -> net::Task<void> {
    auto stream = NewStream(loop, std::move(pair.a));
    char byte = 0;
    stream->ExpireAfter(absl::Milliseconds(20));
    net::IoResult got = co_await stream->Read(&byte, 1);
    CHECK(got.error == ETIMEDOUT);
    REQUIRE(write(pair.b.get(), "x", 1) == 1);
    got = co_await stream->Read(&byte, 1);
    CHECK(got.error == 0);
    CHECK(byte == 'x');
  };
  RunOnLoop(body);
}

TEST_CASE("stream: cancel fails pending and later operations", "[net]") {
  SocketPair pair = NewSocketPair();
  auto body = [&](net::EventLoop& loop) -> net::Task<void> {
    auto stream = NewStream(loop, std::move(pair.a));
    auto later = [&]() -> net::Task<void> {
      co_await net::Sleep(loop, absl::Milliseconds(10));
      stream->Cancel();
    };
    loop.Spawn(later());
    char byte = 0;
    net::IoResult got = co_await stream->Read(&byte, 1);
    CHECK(got.error == ECANCELED);
    net::IoResult put = co_await stream->Write("x");
    CHECK(put.error == ECANCELED);
  };
  RunOnLoop(body);
}

TEST_CASE("stream: the end right behind the last bytes is seen", "[net]") {
  SocketPair pair = NewSocketPair();
  REQUIRE(write(pair.b.get(), "last", 4) == 4);
  pair.b.reset();
  auto body = [&](net::EventLoop& loop) -> net::Task<void> {
    auto stream = NewStream(loop, std::move(pair.a));
    std::string all = co_await ReadAll(*stream);
    CHECK(all == "last");
    CHECK_FALSE(stream->IsQuiet());
  };
  RunOnLoop(body);
}

TEST_CASE("stream: a write waits for a slow reader", "[net]") {
  SocketPair pair = NewSocketPair();
  const std::string block(64 * 1024, 'x');
  auto body = [&](net::EventLoop& loop) -> net::Task<void> {
    auto a = NewStream(loop, std::move(pair.a));
    auto b = NewStream(loop, std::move(pair.b));
    size_t written = 0;
    auto writer = [&]() -> net::Task<void> {
      for (int i = 0; i < 64; ++i) {
        net::IoResult put = co_await a->Write(block);
        CHECK(put.error == 0);
        written += put.bytes;
      }
      net::IoResult end = co_await a->Finish();
      CHECK(end.error == 0);
    };
    loop.Spawn(writer());
    co_await net::Sleep(loop, absl::Milliseconds(20));
    CHECK(written < 64 * block.size());
    std::string all = co_await ReadAll(*b);
    CHECK(all.size() == 64 * block.size());
  };
  RunOnLoop(body);
}

TEST_CASE("stream: writing to a closed peer is an error, not a signal",
          "[net]") {
  SocketPair pair = NewSocketPair();
  pair.b.reset();
  auto body = [&](net::EventLoop& loop) -> net::Task<void> {
    auto stream = NewStream(loop, std::move(pair.a));
    co_await loop.Yield();
    net::IoResult put = co_await stream->Write("x");
    CHECK(put.error == EPIPE);
  };
  RunOnLoop(body);
}

TEST_CASE("listener: does not wait when another process makes it blocking",
          "[net]") {
  auto fd = ListenTcp("127.0.0.1:0");
  REQUIRE_THAT(fd, IsOk());
  auto address = net::Address::FromIp(
      "127.0.0.1", static_cast<uint32_t>(*PortOf(fd->get())));
  int accepted = 0;
  auto body = [&](net::EventLoop& loop) -> net::Task<void> {
    // As the other process, between two accept().
    auto accept = [&](const UniqueFd&, const net::Address&) {
      const int flags = fcntl(fd->get(), F_GETFL);
      CHECK(fcntl(fd->get(), F_SETFL, flags & ~O_NONBLOCK) == 0);
      ++accepted;
    };
    auto listener = net::Listener::Create(loop, fd->get(), accept);
    REQUIRE_THAT(listener, IsOk());
    for (int i = 1; i <= 3; ++i) {
      auto client = co_await net::Connect(loop, *address, kWaitTimeout);
      CHECK_THAT(client, IsOk());
      while (accepted < i) co_await loop.Yield();
    }
  };
  RunOnLoop(body);
  CHECK(accepted == 3);
}

TEST_CASE("listener: two loops share one descriptor", "[net]") {
  auto fd = ListenTcp("127.0.0.1:0");
  REQUIRE_THAT(fd, IsOk());
  auto address = net::Address::FromIp(
      "127.0.0.1", static_cast<uint32_t>(*PortOf(fd->get())));
  int accepted = 0;
  auto body = [&](net::EventLoop& loop) -> net::Task<void> {
    auto accept = [&](UniqueFd connection, const net::Address& peer) {
      CHECK(peer.Ip() == "127.0.0.1");
      int at_once = 0;
      socklen_t size = sizeof at_once;
      CHECK(getsockopt(connection.get(), IPPROTO_TCP, TCP_NODELAY, &at_once,
                       &size) == 0);
      CHECK(at_once != 0);
      ++accepted;
    };
    auto first = net::Listener::Create(loop, fd->get(), accept);
    REQUIRE_THAT(first, IsOk());
    for (int i = 0; i < 20; ++i) {
      auto client = co_await net::Connect(loop, *address, kWaitTimeout);
      CHECK_THAT(client, IsOk());
    }
    while (accepted < 20) co_await loop.Yield();
  };
  RunOnLoop(body);
  CHECK(accepted == 20);
}

}  // namespace
}  // namespace carme::testing
