#include "common/net/relay.h"

#include <cerrno>

namespace carme::net {
namespace {

// The bytes to copy before other coroutines run.
constexpr uint64_t kShareBytes = 1024 * 1024;

class State : private Timer {
 public:
  State(Stream& a, Stream& b, const RelayOptions& options)
      : Timer(a.loop().timers()),
        done(a.loop(), 2),
        a_(a),
        b_(b),
        options_(options) {
    if (options.longest != absl::InfiniteDuration()) {
      ArmTimer(absl::ToInt64Milliseconds(options.longest));
    }
  }
  ~State() override = default;

  void Touch() {
    absl::Duration timeout =
        half_closed ? options_.half_closed_timeout : options_.idle_timeout;
    a_.ExpireAfter(timeout);
    b_.ExpireAfter(timeout);
  }
  void Fail(int why) {
    if (error == 0) error = why;
    a_.Cancel();
    b_.Cancel();
  }

  bool half_closed = false;
  int error = 0;
  Latch done;

 private:
  void OnDeadline() override { Fail(ETIMEDOUT); }

  Stream& a_;
  Stream& b_;
  const RelayOptions options_;
};

using Watch = std::function<void(std::string_view)>;

// Copies until the end of `from` or an error of either stream.
Task<void> Copy(Stream& from, Stream& to, State& state, uint64_t& total,
                const Watch* watch) {
  EventLoop& loop = from.loop();
  uint64_t share = 0;
  for (;;) {
    state.Touch();
    IoResult got = co_await from.Read(loop.scratch(), EventLoop::kBodyBytes);
    if (got.error != 0) {
      state.Fail(got.error);
      co_return;
    }
    if (got.bytes == 0) break;
    if (watch != nullptr) (*watch)({loop.scratch(), got.bytes});
    IoResult put = co_await to.Write({loop.scratch(), got.bytes});
    if (put.error == EPIPE || put.error == ECONNRESET) {
      // The receiver no longer reads. Bytes that it sent before are still
      // copied.
      break;
    }
    if (put.error != 0) {
      state.Fail(put.error);
      co_return;
    }
    total += got.bytes;
    share += got.bytes;
    if (share >= kShareBytes) {
      share = 0;
      co_await loop.Yield();
    }
  }
  state.half_closed = true;
  state.Touch();
  IoResult finished = co_await to.Finish();
  if (finished.error == ETIMEDOUT) state.Fail(finished.error);
}

Task<void> Direction(Stream& from, Stream& to, State& state, uint64_t& total,
                     const Watch* watch) {
  co_await Copy(from, to, state, total, watch);
  state.done.CountDown();
}

}  // namespace

Task<RelayResult> Relay(Stream& a, Stream& b, RelayOptions options) {
  RelayResult result;
  State state(a, b, options);
  a.loop().Spawn(
      Direction(a, b, state, result.a_to_b_bytes, options.watch_a_to_b));
  a.loop().Spawn(
      Direction(b, a, state, result.b_to_a_bytes, options.watch_b_to_a));
  co_await state.done.Wait();
  result.error = state.error;
  co_return result;
}

}  // namespace carme::net
