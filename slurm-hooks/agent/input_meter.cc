#include "slurm-hooks/agent/input_meter.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"

namespace carme::agent {
namespace {

constexpr size_t kMostHead = 64 * 1024;
constexpr size_t kMostLine = 4096;
// RFC 6455, 5.2.
constexpr int kText = 1;
constexpr int kBinary = 2;

// No reserved bit or opcode, and control frames are whole.
bool MayBeginFrame(unsigned char first) {
  const int opcode = first & 0x0f;
  const bool whole = (first & 0x80) != 0;
  return (first & 0x30) == 0 &&
         (opcode <= 2 || (opcode >= 8 && opcode <= 10 && whole));
}

// `token` in lower case.
bool HasToken(std::string_view value, std::string_view token) {
  std::string lower =
      absl::AsciiStrToLower(absl::string_view(value.data(), value.size()));
  return lower.find(token) != std::string::npos;
}

// The value of a header field; empty where there is none.
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

uint32_t BigEndian(std::string_view bytes) {
  uint32_t value = 0;
  for (const char c : bytes.substr(0, 4)) {
    value = value << 8 | static_cast<unsigned char>(c);
  }
  return value;
}

// VS Code's own framing: a type, two numbers and the size of what follows;
// keep-alives and acknowledgements have nothing behind it.
bool IsVsCodeKeepAlive(const WebsocketMessage& message) {
  constexpr size_t kHead = 13;
  if (message.text || message.size != kHead || message.begins.size() < kHead) {
    return false;
  }
  const int type = message.begins[0];
  return (type == 3 || type == 7 || type == 8 || type == 9) &&
         BigEndian(message.begins.substr(9)) == 0;
}

// RFC 6143, 7.5: a viewer asks for pictures all the time.
bool IsDesktopInput(std::string_view bytes) {
  while (!bytes.empty()) {
    switch (bytes[0]) {
      case 0:  // SetPixelFormat
        bytes.remove_prefix(std::min<size_t>(20, bytes.size()));
        break;
      case 3:  // FramebufferUpdateRequest
        bytes.remove_prefix(std::min<size_t>(10, bytes.size()));
        break;
      case 4:  // KeyEvent
      case 5:  // PointerEvent
      case 6:  // ClientCutText
        return true;
      default:
        return false;
    }
  }
  return false;
}

}  // namespace

bool IsInput(const WebsocketMessage& message) {
  if (message.size == 0) return false;
  // A key that is typed into VS Code's terminal takes 13 bytes once the two
  // sides know each other's words, a keep-alive at most 7.
  if (message.compressed) return message.size > 10;
  if (message.path.find("websockify") != std::string_view::npos) {
    return IsDesktopInput(message.begins);
  }
  if (IsVsCodeKeepAlive(message)) return false;
  if (message.text && message.size <= 6) {
    const std::string_view word = message.begins;
    // Of engine.io, and of many others.
    if (word == "2" || word == "3" || word == "ping" || word == "pong") {
      return false;
    }
  }
  if (message.text && message.begins.starts_with("{\"seen\":")) return false;
  // What a notebook's page asks its kernel by itself, when it finds it again.
  for (const std::string_view question :
       {"\"kernel_info_request\"", "\"comm_info_request\"",
        "\"history_request\""}) {
    if (message.begins.find(question) != std::string_view::npos) return false;
  }
  return true;
}

bool InputMeter::Feed(std::string_view bytes) {
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
      case State::kFrameHead:
        input |= TakeFrameHead(&bytes);
        break;
      case State::kFrame:
        input |= TakeFrame(&bytes);
        break;
      case State::kUnknown:
        return true;
    }
  }
  return input;
}

bool InputMeter::GiveUp() {
  state_ = State::kUnknown;
  kept_.clear();
  return true;
}

bool InputMeter::TakeHead(std::string_view* bytes) {
  const size_t before = kept_.size();
  kept_.append(*bytes);
  const size_t from = before < 3 ? 0 : before - 3;
  const size_t end = kept_.find("\r\n\r\n", from);
  if (end == std::string::npos) {
    *bytes = {};
    return kept_.size() > kMostHead && GiveUp();
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
  if (path_.size() > kMostLine) path_.resize(kMostLine);
  if (HasToken(FieldOf(head, "upgrade"), "websocket")) {
    state_ = State::kFrameHead;
    in_frames_ = false;
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

void InputMeter::TakeBody(std::string_view* bytes, State next) {
  const size_t part =
      static_cast<size_t>(std::min<uint64_t>(left_, bytes->size()));
  bytes->remove_prefix(part);
  left_ -= part;
  if (left_ == 0) state_ = next;
}

bool InputMeter::TakeLine(std::string_view* bytes, std::string* line) {
  const size_t end = bytes->find('\n');
  const size_t part = end == std::string_view::npos ? bytes->size() : end + 1;
  kept_.append(bytes->substr(0, part));
  bytes->remove_prefix(part);
  if (kept_.size() > kMostLine) GiveUp();
  if (end == std::string_view::npos || state_ == State::kUnknown) return false;
  *line = std::move(kept_);
  kept_.clear();
  while (!line->empty() && (line->back() == '\n' || line->back() == '\r')) {
    line->pop_back();
  }
  return true;
}

// RFC 9112, 7.1.
void InputMeter::TakeChunkHead(std::string_view* bytes) {
  std::string line;
  if (!TakeLine(bytes, &line)) return;
  uint64_t size = 0;
  const std::string digits = line.substr(0, line.find(';'));
  if (!absl::SimpleHexAtoi(digits, &size) || size > UINT64_MAX - 2) {
    GiveUp();
    return;
  }
  left_ = size + 2;  // with the end of its line
  state_ = size == 0 ? State::kTrailer : State::kChunk;
}

void InputMeter::TakeTrailer(std::string_view* bytes) {
  std::string line;
  if (TakeLine(bytes, &line) && line.empty()) state_ = State::kHead;
}

bool InputMeter::TakeFrameHead(std::string_view* bytes) {
  kept_.push_back(bytes->front());
  bytes->remove_prefix(1);
  const auto first = static_cast<unsigned char>(kept_[0]);
  if (kept_.size() == 1) {
    if (MayBeginFrame(first)) return false;
    // The app did not agree to a websocket, and the connection goes on as it
    // was.
    if (!in_frames_ && first >= 'A' && first <= 'Z') {
      state_ = State::kHead;
      return false;
    }
    return GiveUp();
  }
  const auto second = static_cast<unsigned char>(kept_[1]);
  // What a browser sends is masked.
  if ((second & 0x80) == 0) return GiveUp();
  const size_t wide = (second & 0x7f) == 127   ? 8
                      : (second & 0x7f) == 126 ? 2
                                               : 0;
  if (kept_.size() < 2 + wide + 4) return false;
  size_ = second & 0x7f;
  if (wide > 0) size_ = 0;
  for (size_t i = 0; i < wide; ++i) {
    size_ = size_ << 8 | static_cast<unsigned char>(kept_[2 + i]);
  }
  for (size_t i = 0; i < 4; ++i) {
    mask_[i] = static_cast<unsigned char>(kept_[2 + wide + i]);
  }
  opcode_ = first & 0x0f;
  compressed_ = (first & 0x40) != 0;
  kept_.clear();
  return BeginFrame();
}

bool InputMeter::BeginFrame() {
  in_frames_ = true;
  sample_.clear();
  seen_ = 0;
  left_ = size_;
  state_ = State::kFrame;
  return left_ == 0 && EndFrame();
}

bool InputMeter::TakeFrame(std::string_view* bytes) {
  const size_t part =
      static_cast<size_t>(std::min<uint64_t>(left_, bytes->size()));
  for (size_t i = 0; i < part && sample_.size() < kSampleBytes; ++i) {
    const auto byte = static_cast<unsigned char>((*bytes)[i]);
    sample_.push_back(static_cast<char>(byte ^ mask_[(seen_ + i) % 4]));
  }
  seen_ += part;
  bytes->remove_prefix(part);
  left_ -= part;
  return left_ == 0 && EndFrame();
}

bool InputMeter::EndFrame() {
  state_ = State::kFrameHead;
  // Pings, pongs and closes; what continues a message was judged with it.
  if (opcode_ != kText && opcode_ != kBinary) return false;
  return IsInput({.text = opcode_ == kText,
                  .compressed = compressed_,
                  .size = size_,
                  .begins = sample_,
                  .path = path_});
}

}  // namespace carme::agent
