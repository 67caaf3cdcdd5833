#include "common/net/frame_pool.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "common/net/event_loop.h"
#include "common/net/task.h"

namespace carme::net {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kKept = false;
#else
constexpr bool kKept = true;
#endif

// Takes all `count` before it gives one back.
std::set<void*> TakeAndFree(size_t size, size_t count) {
  std::vector<void*> frames;
  for (size_t i = 0; i < count; ++i) {
    frames.push_back(FramePool::Allocate(size));
    std::memset(frames.back(), 'x', size);
  }
  for (void* frame : frames) FramePool::Free(frame, size);
  return {frames.begin(), frames.end()};
}

TEST_CASE("Frames: are kept where it was said, size by size", "[net]") {
  const FramePool pool;
  void* first = FramePool::Allocate(200);
  FramePool::Free(first, 200);
  void* other = FramePool::Allocate(300);
  void* again = FramePool::Allocate(250);  // of the same step
  if (kKept) {
    CHECK(again == first);
    CHECK(other != first);
  }
  // All of it is the taker's.
  std::memset(again, 'y', 250);
  std::memset(other, 'z', 300);
  FramePool::Free(again, 250);
  FramePool::Free(other, 300);
}

TEST_CASE("Frames: a burst is served, and not kept for ever", "[net]") {
  const FramePool pool;
  for (size_t size : {1, 64, 65, 1000, 3072, 3073, 100'000}) {
    CHECK(TakeAndFree(size, 500).size() == 500);
    CHECK(TakeAndFree(size, 500).size() == 500);
  }
}

TEST_CASE("Frames: one may be freed on another thread, or without a pool",
          "[net]") {
  void* mine = nullptr;
  {
    const FramePool pool;
    mine = FramePool::Allocate(500);
    void* theirs = nullptr;
    std::thread([&] {
      const FramePool own;
      theirs = FramePool::Allocate(500);
      FramePool::Free(mine, 500);
      mine = FramePool::Allocate(500);
    }).join();
    FramePool::Free(theirs, 500);
  }
  FramePool::Free(mine, 500);
  FramePool::Free(FramePool::Allocate(500), 500);
}

Task<int> Twice(EventLoop& loop, int number) {
  char local[300];
  std::memset(local, number, sizeof local);
  co_await loop.Yield();
  int sum = 0;
  for (char each : local) sum += each;
  co_return sum / static_cast<int>(sizeof local) * 2;
}

Task<void> Sum(EventLoop& loop, int count, int* sum) {
  for (int i = 0; i < count; ++i) *sum += co_await Twice(loop, i);
  loop.Stop();
}

TEST_CASE("Frames: coroutines on them keep what is theirs", "[net]") {
  const FramePool pool;
  auto loop = EventLoop::Create();
  REQUIRE(loop.ok());
  int sum = 0, other = 0;
  (*loop)->Spawn(Sum(**loop, 100, &other));
  (*loop)->Spawn(Sum(**loop, 100, &sum));
  (*loop)->Run();
  CHECK(sum == 9900);
  CHECK(other == 9900);
}

}  // namespace
}  // namespace carme::net
