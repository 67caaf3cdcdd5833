// The memory of coroutines, kept at hand.
//
// Each request passes through a dozen coroutines that end within it, and
// malloc() takes a hundred instructions for a frame, three times as many for a
// large one. They come in few sizes, again and again.
#ifndef CARME_COMMON_NET_FRAME_POOL_H_
#define CARME_COMMON_NET_FRAME_POOL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

namespace carme::net {

// The thread that makes it keeps some frames until it destroys it there. One a
// thread; without it, and where a sanitizer watches the memory, all comes from
// operator new.
//
// Thread rule: frames may be freed on another thread than their own.
class FramePool {
 public:
  FramePool();
  ~FramePool();
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;

  static void* Allocate(size_t size) {
    const size_t step = StepOf(size);
    if (step >= kSteps) return ::operator new(size);
    Kept& kept = kept_[step];
    if (kept.first == nullptr) return ::operator new(step* kStep);
    Frame* frame = kept.first;
    kept.first = frame->next;
    ++kept.room;
    return frame;
  }
  static void Free(void* memory, size_t size) {
    const size_t step = StepOf(size);
    // There is no room where nothing is kept.
    if (step >= kSteps || kept_[step].room == 0) {
      return ::operator delete(memory);
    }
    Kept& kept = kept_[step];
    kept.first = new (memory) Frame{kept.first};
    --kept.room;
  }

 private:
  struct Frame {
    Frame* next;
  };
  struct Kept {
    Frame* first = nullptr;
    uint32_t room = 0;
  };
  static constexpr size_t kStep = 64;
  static constexpr size_t kSteps = 48;  // to 3 KiB
  // Of a size: as many requests are half done after a turn of a busy loop.
  static constexpr uint32_t kMost = 64;
  static size_t StepOf(size_t size) { return (size + kStep - 1) / kStep; }

  // Without a destructor: tasks may end when their thread has.
  static constinit thread_local std::array<Kept, kSteps> kept_;
};

}  // namespace carme::net

#endif  // CARME_COMMON_NET_FRAME_POOL_H_
