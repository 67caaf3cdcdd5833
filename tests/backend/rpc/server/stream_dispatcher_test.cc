#include "backend/rpc/server/stream_dispatcher.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

struct Counts {
  std::atomic<int> advanced = 0;
  std::atomic<int> deleted = 0;
  std::atomic<bool> over = false;
  std::atomic<bool> told_to_end = false;
};

class CountedStream : public StreamDispatcher::Stream {
 public:
  explicit CountedStream(Counts* counts) : counts_(*counts) {}
  ~CountedStream() override { ++counts_.deleted; }
  bool Advance(const absl::Status& ending) override {
    ++counts_.advanced;
    if (!ending.ok()) counts_.told_to_end = true;
    return !counts_.over && !counts_.told_to_end;
  }

 private:
  Counts& counts_;
};

using testing::WaitFor;

TEST_CASE("stream dispatcher: refuses more streams than it has room for",
          "[backend]") {
  Counts counts;
  StreamDispatcher dispatcher(1);
  const auto make = [&](const StreamDispatcher::Wake&) {
    return std::make_unique<CountedStream>(&counts);
  };
  CHECK(dispatcher.Open<CountedStream>(make) != nullptr);
  CHECK(dispatcher.Open<CountedStream>(make) == nullptr);
}

TEST_CASE("stream dispatcher: advances a woken stream, deletes an ended one",
          "[backend]") {
  Counts counts;
  StreamDispatcher dispatcher;
  dispatcher.Start();
  StreamDispatcher::Wake wake;
  dispatcher.Open<CountedStream>([&](const StreamDispatcher::Wake& its_wake) {
    wake = its_wake;
    return std::make_unique<CountedStream>(&counts);
  });
  CHECK(WaitFor([&] { return counts.advanced > 0; }));
  counts.over = true;
  wake();
  CHECK(WaitFor([&] { return counts.deleted == 1; }));
  CHECK(dispatcher.size() == 0);
  wake();  // late, and harmless
}

TEST_CASE("stream dispatcher: ends all streams at shutdown", "[backend]") {
  Counts counts;
  StreamDispatcher dispatcher;
  dispatcher.Start();
  dispatcher.Open<CountedStream>([&](const StreamDispatcher::Wake&) {
    return std::make_unique<CountedStream>(&counts);
  });
  dispatcher.EndAll(absl::UnavailableError("stopping"));
  CHECK(WaitFor([&] { return counts.deleted == 1; }));
  CHECK(counts.told_to_end);
}

TEST_CASE("stream dispatcher: parallel wakes are all processed", "[backend]") {
  Counts counts[50];
  StreamDispatcher dispatcher;
  dispatcher.Start();
  std::vector<StreamDispatcher::Wake> wakes;
  for (Counts& one : counts) {
    dispatcher.Open<CountedStream>([&](const StreamDispatcher::Wake& wake) {
      wakes.push_back(wake);
      return std::make_unique<CountedStream>(&one);
    });
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) wakes[i % wakes.size()]();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (Counts& one : counts) one.over = true;
  CHECK(WaitFor([&] { return dispatcher.size() == 0; }));
}

}  // namespace
}  // namespace carme::backend
