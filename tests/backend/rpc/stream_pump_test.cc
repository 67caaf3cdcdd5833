#include "backend/rpc/stream_pump.h"

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

class CountedStream : public StreamPump::Stream {
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

TEST_CASE("stream pump: refuses more streams than it has room for",
          "[backend]") {
  Counts counts;
  StreamPump pump(1);
  const auto make = [&](const StreamPump::Wake&) {
    return std::make_unique<CountedStream>(&counts);
  };
  CHECK(pump.Open<CountedStream>(make) != nullptr);
  CHECK(pump.Open<CountedStream>(make) == nullptr);
}

TEST_CASE("stream pump: a woken stream is advanced, then deleted once over",
          "[backend]") {
  Counts counts;
  StreamPump pump;
  pump.Start();
  StreamPump::Wake wake;
  pump.Open<CountedStream>([&](const StreamPump::Wake& its_wake) {
    wake = its_wake;
    return std::make_unique<CountedStream>(&counts);
  });
  CHECK(WaitFor([&] { return counts.advanced > 0; }));
  counts.over = true;
  wake();
  CHECK(WaitFor([&] { return counts.deleted == 1; }));
  CHECK(pump.size() == 0);
  wake();  // late, and harmless
}

TEST_CASE("stream pump: everybody is told when all must end", "[backend]") {
  Counts counts;
  StreamPump pump;
  pump.Start();
  pump.Open<CountedStream>([&](const StreamPump::Wake&) {
    return std::make_unique<CountedStream>(&counts);
  });
  pump.EndAll(absl::UnavailableError("stopping"));
  CHECK(WaitFor([&] { return counts.deleted == 1; }));
  CHECK(counts.told_to_end);
}

TEST_CASE("stream pump: parallel wakes lose nothing", "[backend]") {
  Counts counts[50];
  StreamPump pump;
  pump.Start();
  std::vector<StreamPump::Wake> wakes;
  for (Counts& one : counts) {
    pump.Open<CountedStream>([&](const StreamPump::Wake& wake) {
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
  CHECK(WaitFor([&] { return pump.size() == 0; }));
}

}  // namespace
}  // namespace carme::backend
