#include "common/http1/body.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace carme {
namespace {

constexpr uint8_t kMaxDigits = 15;    // fits into 64 bits
constexpr uint16_t kMaxExtra = 4096;  // bytes per body

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsControl(char c) {
  auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7f;
}

}  // namespace

void ChunkDecoder::TakeSizeByte(char c) {
  if (int value = HexValue(c); value >= 0 && digits_ < kMaxDigits) {
    left_ = left_ * 16 + static_cast<uint64_t>(value);
    ++digits_;
  } else if (digits_ == 0) {
    state_ = State::kBad;
  } else if (c == '\r') {
    state_ = State::kSizeLf;
  } else if (c == ';') {
    state_ = State::kExtension;
  } else {
    state_ = State::kBad;
  }
}

void ChunkDecoder::TakeExtraByte(char c, State after_cr) {
  if (c == '\r') {
    state_ = after_cr;
  } else if (IsControl(c) || ++extra_ > kMaxExtra) {
    state_ = State::kBad;
  } else if (after_cr == State::kTrailerLf) {
    trailers_ += c;
  }
}

void ChunkDecoder::TakeByte(char c) {
  auto expect = [&](char wanted, State next) {
    state_ = c == wanted ? next : State::kBad;
  };
  switch (state_) {
    case State::kSize:
      return TakeSizeByte(c);
    case State::kExtension:
      return TakeExtraByte(c, State::kSizeLf);
    case State::kSizeLf:
      return expect('\n', left_ > 0 ? State::kData : State::kTrailerStart);
    case State::kDataCr:
      return expect('\r', State::kDataLf);
    case State::kDataLf:
      digits_ = 0;
      return expect('\n', State::kSize);
    case State::kTrailerStart:
      if (c == '\r') {
        state_ = State::kEndLf;
        return;
      }
      // A continuation line or a line without a name is invalid.
      state_ =
          c == ' ' || c == '\t' || c == ':' ? State::kBad : State::kTrailer;
      if (state_ == State::kTrailer) TakeExtraByte(c, State::kTrailerLf);
      return;
    case State::kTrailer:
      return TakeExtraByte(c, State::kTrailerLf);
    case State::kTrailerLf:
      trailers_ += "\r\n";
      return expect('\n', State::kTrailerStart);
    case State::kEndLf:
      return expect('\n', State::kDone);
    case State::kData:
    case State::kDone:
    case State::kBad:
      state_ = State::kBad;
      return;
  }
}

ChunkDecoder::Step ChunkDecoder::Read(const char* bytes, size_t size,
                                      char* payload) {
  Step step;
  while (step.consumed < size && state_ != State::kDone &&
         state_ != State::kBad) {
    if (state_ != State::kData) {
      TakeByte(bytes[step.consumed++]);
      continue;
    }
    size_t take =
        static_cast<size_t>(std::min<uint64_t>(left_, size - step.consumed));
    if (payload != nullptr) {
      std::memmove(payload + step.payload, bytes + step.consumed, take);
    }
    step.payload += take;
    step.consumed += take;
    left_ -= take;
    if (left_ == 0) state_ = State::kDataCr;
  }
  step.done = state_ == State::kDone;
  step.bad = state_ == State::kBad;
  return step;
}

ChunkDecoder::Step BodyProgress::Read(const char* bytes, size_t size,
                                      char* payload) {
  ChunkDecoder::Step step;
  switch (kind_) {
    case BodyKind::kNone:
      step.done = true;
      return step;
    case BodyKind::kLength:
      step.consumed = step.payload =
          static_cast<size_t>(std::min<uint64_t>(left_, size));
      left_ -= step.consumed;
      step.done = left_ == 0;
      return step;
    case BodyKind::kChunked:
      step = decoder_.Read(bytes, size, payload);
      if (step.done) kind_ = BodyKind::kNone;
      return step;
    case BodyKind::kUntilClose:
      step.consumed = step.payload = size;
      return step;
  }
  return step;
}

bool BodyProgress::TakeEnd() {
  if (kind_ == BodyKind::kUntilClose) kind_ = BodyKind::kNone;
  return done();
}

void AppendChunk(std::string_view payload, std::string* out) {
  if (payload.empty()) return;
  char digits[16];
  char* end =
      std::to_chars(digits, digits + sizeof digits, payload.size(), 16).ptr;
  out->append(digits, static_cast<size_t>(end - digits)).append("\r\n");
  out->append(payload).append("\r\n");
}

}  // namespace carme
