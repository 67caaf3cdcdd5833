#include "common/net/pipe.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <functional>
#include <thread>

#include "tests/common/net/loop_fixture.h"
#include "tests/support/wait_for.h"

namespace carme::testing {
namespace {

using Body = std::function<net::Task<void>(net::EventLoop&)>;

// Another loop on a thread of its own.
class OtherLoop {
 public:
  OtherLoop() : loop_(*net::EventLoop::Create()) {
    thread_ = std::thread([this] { loop_->Run(); });
  }
  ~OtherLoop() {
    loop_->Stop();
    thread_.join();
  }
  // `body` and the loops it uses live on until it has ended: see Ended.
  void Run(const Body& body) {
    ++running_;
    loop_->Post([this, &body] { loop_->Spawn(Whole(body)); });
  }
  // What ran there has ended.
  net::Task<void> Ended(net::EventLoop& here) {
    while (running_ > 0) co_await net::Sleep(here, absl::Milliseconds(1));
  }
  net::EventLoop& loop() { return *loop_; }

 private:
  net::Task<void> Whole(const Body& body) {
    co_await body(*loop_);
    --running_;
  }
  std::unique_ptr<net::EventLoop> loop_;
  std::atomic<int> running_ = 0;
  std::thread thread_;
};

TEST_CASE("pipe: the end of one side resets the other after its data",
          "[net]") {
  std::string seen;
  OtherLoop other;
  auto here = [&](net::EventLoop& loop) -> net::Task<void> {
    auto pipe = std::make_shared<net::Pipe>(loop, other.loop());
    const Body there = [&pipe](net::EventLoop& far) -> net::Task<void> {
      const auto end = net::Pipe::NewEnd(pipe, far);
      const net::IoResult put = co_await end->Write("last words");
      (void)put;
    };
    const auto end = net::Pipe::NewEnd(pipe, loop);
    end->ExpireAfter(kWaitTimeout);
    other.Run(there);
    seen = co_await ReadAll(*end);
    const net::IoResult put = co_await end->Write("too late");
    CHECK(put.error == EPIPE);
    co_await other.Ended(loop);
  };
  RunOnLoop(here);
  CHECK(seen == "last words!" + std::to_string(ECONNRESET));
}

TEST_CASE("pipe: a reader that is slow stops the writer", "[net]") {
  constexpr size_t kWhole = 2 * 1024 * 1024, kChunk = 16 * 1024;
  constexpr size_t kMaxAhead = 64 * 1024 + kChunk;
  std::atomic<size_t> written = 0;
  OtherLoop other;
  auto here = [&](net::EventLoop& loop) -> net::Task<void> {
    auto pipe = std::make_shared<net::Pipe>(loop, other.loop());
    const Body there = [&](net::EventLoop& far) -> net::Task<void> {
      const auto end = net::Pipe::NewEnd(pipe, far);
      const std::string chunk(kChunk, 'x');
      while (written < kWhole) {
        const net::IoResult put = co_await end->Write(chunk);
        if (put.error != 0) co_return;
        written += chunk.size();
      }
      const net::IoResult ended = co_await end->Finish();
      (void)ended;
    };
    const auto end = net::Pipe::NewEnd(pipe, loop);
    end->ExpireAfter(kWaitTimeout);
    other.Run(there);
    while (written < kMaxAhead - kChunk) {
      co_await net::Sleep(loop, absl::Milliseconds(1));
    }
    size_t read = 0;
    bool ahead = false;
    char buffer[5000];
    for (;;) {
      ahead = ahead || written > read + kMaxAhead;
      const net::IoResult got = co_await end->Read(buffer, sizeof buffer);
      if (got.error != 0 || got.bytes == 0) break;
      read += got.bytes;
    }
    CHECK(read == kWhole);
    CHECK_FALSE(ahead);
    co_await other.Ended(loop);
  };
  RunOnLoop(here);
}

TEST_CASE("pipe: each direction ends by itself", "[net]") {
  std::string seen_there, seen_here;
  bool answered = false;
  OtherLoop other;
  auto here = [&](net::EventLoop& loop) -> net::Task<void> {
    auto pipe = std::make_shared<net::Pipe>(loop, other.loop());
    const Body there = [&](net::EventLoop& far) -> net::Task<void> {
      const auto end = net::Pipe::NewEnd(pipe, far);
      seen_there = co_await ReadAll(*end);
      const net::IoResult put = co_await end->Write("answer");
      const net::IoResult ended = co_await end->Finish();
      answered = put.error == 0 && ended.error == 0;
    };
    const auto end = net::Pipe::NewEnd(pipe, loop);
    end->ExpireAfter(kWaitTimeout);
    other.Run(there);
    const net::IoResult put = co_await end->Write("question");
    const net::IoResult ended = co_await end->Finish();
    CHECK((put.error == 0 && ended.error == 0));
    seen_here = co_await ReadAll(*end);
    co_await other.Ended(loop);
  };
  RunOnLoop(here);
  CHECK(seen_there == "question");
  CHECK(answered);
  CHECK(seen_here == "answer");
}

}  // namespace
}  // namespace carme::testing
