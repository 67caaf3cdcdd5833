#include "slurm-hooks/agent/usage/input_detector.h"

#include <chrono>

#include "absl/time/time.h"

namespace carme::agent {
namespace {

// More than the proxy forwards.
constexpr HeadLimits kHeadLimits = {
    .max_bytes = 64 * 1024, .max_fields = 256, .max_target_bytes = 64 * 1024};
constexpr size_t kMaxPathBytes = 4096;

}  // namespace

bool InputDetector::Feed(std::string_view bytes) {
  bool input = false;
  while (!bytes.empty()) {
    switch (state_) {
      case State::kHead:
        input |= TakeHead(&bytes);
        break;
      case State::kBody:
        TakeBody(&bytes);
        break;
      case State::kWebsocket:
        input |= TakeFrames(&bytes);
        break;
      case State::kUnknown:
        return true;
    }
  }
  return input;
}

bool InputDetector::GiveUp() {
  state_ = State::kUnknown;
  kept_.clear();
  return true;
}

bool InputDetector::TakeHead(std::string_view* bytes) {
  const size_t before = kept_.size();
  kept_.append(*bytes);
  RequestHead head;
  const ScanResult scan = ScanRequest(kept_, kHeadLimits, &head);
  if (scan.state == ScanState::kRefused) return GiveUp();
  if (scan.state == ScanState::kMore) {
    *bytes = {};
    return false;
  }
  bytes->remove_prefix(scan.head_bytes - before);
  bool input = false;
  if (head.opens_websocket) {
    state_ = State::kWebsocket;
    websocket_ =
        WebsocketInput(std::string(head.target.substr(0, kMaxPathBytes)));
  } else {
    body_ = BodyProgress(head.body);
    state_ = body_.done() ? State::kHead : State::kBody;
    input = !head.IsSafe();
  }
  kept_.clear();
  return input;
}

bool InputDetector::TakeFrames(std::string_view* bytes) {
  // The app did not accept the websocket, and the connection continues with
  // HTTP.
  const char first = bytes->front();
  if (!websocket_.begun() && first >= 'C' && first <= 'Z') {
    state_ = State::kHead;
    return false;
  }
  const bool input = websocket_.Feed(
      *bytes, absl::ToInt64Milliseconds(absl::FromChrono(
                  std::chrono::steady_clock::now().time_since_epoch())));
  *bytes = {};
  return input;
}

void InputDetector::TakeBody(std::string_view* bytes) {
  const ChunkDecoder::Step step = body_.Skip(*bytes);
  if (step.bad) {
    GiveUp();
    return;
  }
  bytes->remove_prefix(step.consumed);
  if (step.done) state_ = State::kHead;
}

}  // namespace carme::agent
