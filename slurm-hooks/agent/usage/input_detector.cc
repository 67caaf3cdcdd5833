#include "slurm-hooks/agent/usage/input_detector.h"

#include <algorithm>
#include <chrono>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/time/time.h"

namespace carme::agent {
namespace {

constexpr size_t kMaxHead = 64 * 1024;
constexpr size_t kMaxLine = 4096;

// `token` in lower case.
bool HasToken(std::string_view value, std::string_view token) {
  std::string lower =
      absl::AsciiStrToLower(absl::string_view(value.data(), value.size()));
  return lower.find(token) != std::string::npos;
}

// Returns the value of a header field; empty if it is missing.
std::string_view FieldOf(std::string_view head, std::string_view name) {
  size_t at = head.find("\r\n");
  while (at != std::string_view::npos) {
    const std::string_view line = head.substr(at + 2);
    at = head.find("\r\n", at + 2);
    const std::string_view one = line.substr(0, line.find("\r\n"));
    const size_t colon = one.find(':');
    if (colon != name.size()) continue;
    if (!absl::EqualsIgnoreCase(absl::string_view(one.data(), colon),
                                absl::string_view(name.data(), name.size()))) {
      continue;
    }
    std::string_view value = one.substr(colon + 1);
    while (value.starts_with(' ')) value.remove_prefix(1);
    while (value.ends_with(' ')) value.remove_suffix(1);
    return value;
  }
  return "";
}

bool AsksOnly(std::string_view method) {
  return method == "GET" || method == "HEAD" || method == "OPTIONS";
}

}  // namespace

bool InputDetector::Feed(std::string_view bytes) {
  bool input = false;
  while (!bytes.empty()) {
    switch (state_) {
      case State::kHead:
        input |= TakeHead(&bytes);
        break;
      case State::kBody:
        TakeBody(&bytes, State::kHead);
        break;
      case State::kChunkHead:
        TakeChunkHead(&bytes);
        break;
      case State::kChunk:
        TakeBody(&bytes, State::kChunkHead);
        break;
      case State::kTrailer:
        TakeTrailer(&bytes);
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
  const size_t from = before < 3 ? 0 : before - 3;
  const size_t end = kept_.find("\r\n\r\n", from);
  if (end == std::string::npos) {
    *bytes = {};
    return kept_.size() > kMaxHead && GiveUp();
  }
  bytes->remove_prefix(end + 4 - before);
  const std::string head = kept_.substr(0, end + 2);
  kept_.clear();
  const std::string_view line =
      std::string_view(head).substr(0, head.find("\r\n"));
  const size_t first = line.find(' ');
  if (first == std::string_view::npos) return GiveUp();
  const std::string_view method = line.substr(0, first);
  path_ = line.substr(first + 1, line.find(' ', first + 1) - first - 1);
  if (path_.size() > kMaxLine) path_.resize(kMaxLine);
  if (HasToken(FieldOf(head, "upgrade"), "websocket")) {
    state_ = State::kWebsocket;
    websocket_ = WebsocketInput(path_);
    return false;
  }
  if (HasToken(FieldOf(head, "transfer-encoding"), "chunked")) {
    state_ = State::kChunkHead;
  } else {
    const std::string_view length = FieldOf(head, "content-length");
    left_ = 0;
    if (!length.empty() &&
        !absl::SimpleAtoi(absl::string_view(length.data(), length.size()),
                          &left_)) {
      return GiveUp();
    }
    state_ = left_ > 0 ? State::kBody : State::kHead;
  }
  return !AsksOnly(method);
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

void InputDetector::TakeBody(std::string_view* bytes, State next) {
  const size_t part =
      static_cast<size_t>(std::min<uint64_t>(left_, bytes->size()));
  bytes->remove_prefix(part);
  left_ -= part;
  if (left_ == 0) state_ = next;
}

bool InputDetector::TakeLine(std::string_view* bytes, std::string* line) {
  const size_t end = bytes->find('\n');
  const size_t part = end == std::string_view::npos ? bytes->size() : end + 1;
  kept_.append(bytes->substr(0, part));
  bytes->remove_prefix(part);
  if (kept_.size() > kMaxLine) GiveUp();
  if (end == std::string_view::npos || state_ == State::kUnknown) return false;
  *line = std::move(kept_);
  kept_.clear();
  while (!line->empty() && (line->back() == '\n' || line->back() == '\r')) {
    line->pop_back();
  }
  return true;
}

// RFC 9112, 7.1.
void InputDetector::TakeChunkHead(std::string_view* bytes) {
  std::string line;
  if (!TakeLine(bytes, &line)) return;
  uint64_t size = 0;
  const std::string digits = line.substr(0, line.find(';'));
  if (!absl::SimpleHexAtoi(digits, &size) || size > UINT64_MAX - 2) {
    GiveUp();
    return;
  }
  left_ = size + 2;  // including the line end
  state_ = size == 0 ? State::kTrailer : State::kChunk;
}

void InputDetector::TakeTrailer(std::string_view* bytes) {
  std::string line;
  if (TakeLine(bytes, &line) && line.empty()) state_ = State::kHead;
}

}  // namespace carme::agent
