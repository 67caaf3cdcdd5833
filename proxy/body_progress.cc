#include "proxy/body_progress.h"

#include <algorithm>
#include <charconv>

#include "proxy/trailers.h"

namespace carme::proxy {

ChunkDecoder::Step BodyProgress::Take(char* bytes, size_t size) {
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
      step = decoder_.Decode(bytes, size);
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

void AppendLastChunk(std::string_view trailers, std::string* out) {
  out->append("0\r\n");
  if (!trailers.empty()) AppendTrailers(trailers, out);
  out->append("\r\n");
}

}  // namespace carme::proxy
