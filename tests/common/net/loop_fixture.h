// Runs a coroutine on a loop of its own, in the test's thread.
#ifndef CARME_TESTS_COMMON_NET_LOOP_FIXTURE_H_
#define CARME_TESTS_COMMON_NET_LOOP_FIXTURE_H_

#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "common/net/event_loop.h"
#include "common/net/socket.h"
#include "common/net/stream.h"
#include "common/net/task.h"
#include "tests/support/status_matchers.h"

namespace carme::testing {

struct SocketPair {
  UniqueFd a, b;
};

inline SocketPair NewSocketPair() {
  int fds[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
                     fds) == 0);
  return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

inline std::unique_ptr<net::Stream> NewStream(net::EventLoop& loop,
                                              UniqueFd fd) {
  auto stream = net::NewSocketStream(loop, std::move(fd));
  REQUIRE_THAT(stream, IsOk());
  return *std::move(stream);
}

// `body` must be a named callable: a coroutine uses its captures.
template <typename Body>
void RunOnLoop(Body& body) {
  auto loop = net::EventLoop::Create();
  REQUIRE_THAT(loop, IsOk());
  bool ended = false;
  auto whole = [&]() -> net::Task<void> {
    co_await body(**loop);
    ended = true;
    (*loop)->Stop();
  };
  (*loop)->Spawn(whole());
  (*loop)->Run();
  REQUIRE(ended);
  REQUIRE((*loop)->tasks() == 0);
}

// Everything until the end.
inline net::Task<std::string> ReadAll(net::Stream& stream) {
  std::string all;
  char buffer[4096];
  for (;;) {
    net::IoResult got = co_await stream.Read(buffer, sizeof buffer);
    if (got.error != 0) co_return all + "!" + std::to_string(got.error);
    if (got.bytes == 0) co_return all;
    all.append(buffer, got.bytes);
  }
}

}  // namespace carme::testing

#endif  // CARME_TESTS_COMMON_NET_LOOP_FIXTURE_H_
