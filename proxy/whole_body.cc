#include "proxy/whole_body.h"

#include <cerrno>
#include <utility>

#include "common/net/event_loop.h"
#include "proxy/body_progress.h"

namespace carme::proxy {

net::Task<WholeBodyResult> ReadWholeBody(ClientSide& side, BodyFraming framing,
                                         size_t max_bytes,
                                         absl::Duration timeout,
                                         BudgetCharge& charge,
                                         std::string* body) {
  net::EventLoop& loop = side.stream().loop();
  const int64_t due_ms = loop.now_ms() + absl::ToInt64Milliseconds(timeout);
  BodyProgress progress(framing);
  std::string first = std::exchange(side.held(), {});
  char* bytes = first.data();
  size_t size = first.size();
  for (int turn = 1;; ++turn) {
    const ChunkDecoder::Step step = progress.Take(bytes, size);
    if (step.bad) co_return WholeBodyResult::kMalformed;
    if (body->size() + step.payload > max_bytes) {
      co_return WholeBodyResult::kTooLarge;
    }
    if (!charge.Take(step.payload)) co_return WholeBodyResult::kNoMemory;
    body->append(bytes, step.payload);
    side.held().append(bytes + step.consumed, size - step.consumed);
    if (progress.done()) co_return WholeBodyResult::kWhole;
    std::string().swap(first);

    if (turn % 20 == 0) co_await loop.Yield();
    const int64_t left_ms = due_ms - loop.now_ms();
    if (left_ms <= 0) co_return WholeBodyResult::kLate;
    side.stream().ExpireAfter(absl::Milliseconds(left_ms));
    net::IoResult got = co_await side.stream().Read(
        loop.scratch(), net::EventLoop::kScratchBytes);
    if (got.error == ETIMEDOUT) co_return WholeBodyResult::kLate;
    if (got.error != 0) co_return WholeBodyResult::kGone;
    if (got.bytes == 0) {
      co_return progress.TakeEnd() ? WholeBodyResult::kWhole
                                   : WholeBodyResult::kGone;
    }
    bytes = loop.scratch();
    size = got.bytes;
  }
}

}  // namespace carme::proxy
