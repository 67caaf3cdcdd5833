#include "common/net/frame_pool.h"

namespace carme::net {

constinit thread_local std::array<FramePool::Kept, FramePool::kSteps>
    FramePool::kept_{};

FramePool::FramePool() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  for (Kept& kept : kept_) kept.room = kMost;
#endif
}

FramePool::~FramePool() {
  for (Kept& kept : kept_) {
    kept.room = 0;
    while (kept.first != nullptr) {
      Frame* frame = kept.first;
      kept.first = frame->next;
      ::operator delete(frame);
    }
  }
}

}  // namespace carme::net
