#include "common/net/relay.h"

#include <catch2/catch.hpp>
#include <cerrno>

#include "tests/common/net/loop_fixture.h"

namespace carme::testing {
namespace {

// Two outer ends with a relay between them.
struct Relayed {
  explicit Relayed(net::EventLoop& loop) {
    SocketPair first = NewSocketPair(), second = NewSocketPair();
    client = NewStream(loop, std::move(first.a));
    a = NewStream(loop, std::move(first.b));
    b = NewStream(loop, std::move(second.a));
    server = NewStream(loop, std::move(second.b));
  }
  net::Task<void> Run(net::RelayOptions options) {
    result = co_await net::Relay(*a, *b, options);
    done = true;
    a.reset();
    b.reset();
  }
  std::unique_ptr<net::Stream> client, a, b, server;
  net::RelayResult result;
  bool done = false;
};

TEST_CASE("relay: an idle time-out ends both sides", "[net]") {
  auto body = [](net::EventLoop& loop) -> net::Task<void> {
    Relayed relayed(loop);
    net::RelayOptions options;
    options.idle_timeout = absl::Milliseconds(30);
    co_await relayed.Run(options);
    CHECK(relayed.result.error == ETIMEDOUT);
    std::string rest = co_await ReadAll(*relayed.client);
    CHECK(rest.empty());
  };
  RunOnLoop(body);
}

TEST_CASE("relay: ends at its deadline, however busy", "[net]") {
  auto body = [](net::EventLoop& loop) -> net::Task<void> {
    Relayed relayed(loop);
    net::RelayOptions options;
    options.longest = absl::Milliseconds(30);
    loop.Spawn(relayed.Run(options));
    while (!relayed.done) {
      net::IoResult put = co_await relayed.client->Write("x");
      CHECK((put.error == 0 || relayed.done));
      co_await net::Sleep(loop, absl::Milliseconds(1));
    }
    CHECK(relayed.result.error == ETIMEDOUT);
  };
  RunOnLoop(body);
}

TEST_CASE("relay: each direction ends by itself", "[net]") {
  auto body = [](net::EventLoop& loop) -> net::Task<void> {
    Relayed relayed(loop);
    loop.Spawn(relayed.Run({}));
    net::IoResult put = co_await relayed.client->Write("question");
    CHECK(put.error == 0);
    net::IoResult end = co_await relayed.client->Finish();
    CHECK(end.error == 0);
    // The server has seen the end, and the answer still gets through.
    std::string question = co_await ReadAll(*relayed.server);
    CHECK(question == "question");
    CHECK_FALSE(relayed.done);
    put = co_await relayed.server->Write("answer");
    CHECK(put.error == 0);
    end = co_await relayed.server->Finish();
    std::string answer = co_await ReadAll(*relayed.client);
    CHECK(answer == "answer");
    while (!relayed.done) co_await loop.Yield();
    CHECK(relayed.result.error == 0);
    CHECK(relayed.result.a_to_b_bytes == 8);
    CHECK(relayed.result.b_to_a_bytes == 6);
  };
  RunOnLoop(body);
}

TEST_CASE("relay: delivers last bytes after the other side has closed",
          "[net]") {
  auto body = [](net::EventLoop& loop) -> net::Task<void> {
    Relayed relayed(loop);
    net::IoResult put = co_await relayed.server->Write("too large");
    CHECK(put.error == 0);
    put = co_await relayed.client->Write("more than it wants");
    CHECK(put.error == 0);
    relayed.server.reset();
    loop.Spawn(relayed.Run({}));
    std::string words = co_await ReadAll(*relayed.client);
    CHECK(words == "too large");
    while (!relayed.done) co_await loop.Yield();
  };
  RunOnLoop(body);
}

TEST_CASE("relay: cancelling one stream ends it", "[net]") {
  auto body = [](net::EventLoop& loop) -> net::Task<void> {
    Relayed relayed(loop);
    loop.Spawn(relayed.Run({}));
    co_await loop.Yield();
    relayed.b->Cancel();
    while (!relayed.done) co_await loop.Yield();
    CHECK(relayed.result.error == ECANCELED);
  };
  RunOnLoop(body);
}

TEST_CASE("relay: a stalled reader holds 16 KiB, then all arrives", "[net]") {
  const std::string block(64 * 1024, 'y');
  auto body = [&](net::EventLoop& loop) -> net::Task<void> {
    Relayed relayed(loop);
    loop.Spawn(relayed.Run({}));
    auto writer = [&]() -> net::Task<void> {
      for (int i = 0; i < 64; ++i) {
        net::IoResult put = co_await relayed.client->Write(block);
        CHECK(put.error == 0);
      }
      net::IoResult end = co_await relayed.client->Finish();
      CHECK(end.error == 0);
    };
    loop.Spawn(writer());
    co_await net::Sleep(loop, absl::Milliseconds(20));
    std::string all = co_await ReadAll(*relayed.server);
    CHECK(all.size() == 64 * block.size());
    relayed.server.reset();
    while (!relayed.done) co_await loop.Yield();
  };
  RunOnLoop(body);
}

}  // namespace
}  // namespace carme::testing
