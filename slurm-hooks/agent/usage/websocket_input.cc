#include "slurm-hooks/agent/usage/websocket_input.h"

#include <algorithm>
#include <utility>

namespace carme::agent {
namespace {

// RFC 6455, 5.2.
constexpr int kText = 1;
constexpr int kBinary = 2;

// No reserved bit or opcode is used, and control frames are not fragmented.
bool MayBeginFrame(unsigned char first) {
  const int opcode = first & 0x0f;
  const bool whole = (first & 0x80) != 0;
  return (first & 0x30) == 0 &&
         (opcode <= 2 || (opcode >= 8 && opcode <= 10 && whole));
}

uint32_t BigEndian(std::string_view bytes) {
  uint32_t value = 0;
  for (const char c : bytes.substr(0, 4)) {
    value = value << 8 | static_cast<unsigned char>(c);
  }
  return value;
}

// VS Code's framing: a type, two numbers and the size of the payload.
// Keep-alives and acknowledgements have no payload.
bool IsVsCodeKeepAlive(const WebsocketMessage& message) {
  constexpr size_t kHead = 13;
  if (message.text || message.size != kHead || message.begins.size() < kHead) {
    return false;
  }
  const int type = message.begins[0];
  return (type == 3 || type == 7 || type == 8 || type == 9) &&
         BigEndian(message.begins.substr(9)) == 0;
}

// RFC 6143, 7.5: a viewer requests frames all the time.
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
  // Once the compression context has its words, a key typed into VS Code's
  // terminal takes 13 bytes, a keep-alive at most 7.
  if (message.compressed) return message.size > 10;
  if (message.path.find("websockify") != std::string_view::npos) {
    return IsDesktopInput(message.begins);
  }
  if (IsVsCodeKeepAlive(message)) return false;
  // VS Code's telemetry channel.
  if (!message.text &&
      message.begins.find("\x01\x09telemetry\x01") != std::string_view::npos) {
    return false;
  }
  if (message.text && message.size <= 6) {
    const std::string_view word = message.begins;
    // engine.io and many others
    if (word == "2" || word == "3" || word == "ping" || word == "pong") {
      return false;
    }
  }
  if (message.text && message.begins.starts_with("{\"seen\":")) return false;
  // Requests that a notebook's page sends when it reconnects to its kernel.
  for (const std::string_view question :
       {"\"kernel_info_request\"", "\"comm_info_request\"",
        "\"history_request\""}) {
    if (message.begins.find(question) != std::string_view::npos) return false;
  }
  return true;
}

bool WebsocketInput::Feed(std::string_view bytes, int64_t now_ms) {
  bool input = false;
  now_ms_ = now_ms;
  begun_ = begun_ || !bytes.empty();
  while (!bytes.empty() && !unknown_) {
    input |= in_payload_ ? TakePayload(&bytes) : TakeHead(&bytes);
  }
  return input || unknown_;
}

bool WebsocketInput::GiveUp() {
  unknown_ = true;
  kept_.clear();
  return true;
}

bool WebsocketInput::TakeHead(std::string_view* bytes) {
  kept_.push_back(bytes->front());
  bytes->remove_prefix(1);
  const auto first = static_cast<unsigned char>(kept_[0]);
  if (kept_.size() == 1) return !MayBeginFrame(first) && GiveUp();
  const auto second = static_cast<unsigned char>(kept_[1]);
  // Browsers mask their frames.
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
  return Begin();
}

bool WebsocketInput::Begin() {
  sample_.clear();
  seen_ = 0;
  left_ = size_;
  in_payload_ = true;
  return left_ == 0 && End();
}

bool WebsocketInput::TakePayload(std::string_view* bytes) {
  const size_t part =
      static_cast<size_t>(std::min<uint64_t>(left_, bytes->size()));
  for (size_t i = 0; i < part && sample_.size() < kSampleBytes; ++i) {
    const auto byte = static_cast<unsigned char>((*bytes)[i]);
    sample_.push_back(static_cast<char>(byte ^ mask_[(seen_ + i) % 4]));
  }
  seen_ += part;
  bytes->remove_prefix(part);
  left_ -= part;
  return left_ == 0 && End();
}

bool WebsocketInput::End() {
  in_payload_ = false;
  // Pings, pongs, closes and continuations; a continuation was judged with the
  // beginning of its message.
  if (opcode_ != kText && opcode_ != kBinary) return false;
  const bool input = IsInput({.text = opcode_ == kText,
                              .compressed = compressed_,
                              .size = size_,
                              .begins = sample_,
                              .path = path_});
  if (!input || !compressed_ || !is_vscode_) return input;
  return now_ms_ - std::exchange(last_ms_, now_ms_) <= kTogetherMs;
}

}  // namespace carme::agent
