#include "backend/metrics/archive/zstd_input.h"

namespace carme::metrics {

using google::protobuf::io::ZeroCopyInputStream;

ZstdInput::ZstdInput(ZeroCopyInputStream* source, Frames frames)
    : source_(source),
      frames_(frames),
      context_(ZSTD_createDCtx(), ZSTD_freeDCtx),
      buffer_(ZSTD_DStreamOutSize(), '\0') {}

bool ZstdInput::Fill() {
  if (input_.pos < input_.size) return true;
  const void* data = nullptr;
  int size = 0;
  do {
    if (!source_->Next(&data, &size)) return false;
  } while (size == 0);
  input_ = {.src = data, .size = static_cast<size_t>(size), .pos = 0};
  return true;
}

size_t ZstdInput::Decode() {
  ZSTD_outBuffer output{
      .dst = buffer_.data(), .size = buffer_.size(), .pos = 0};
  while (output.pos == 0) {
    if (state_ == State::kComplete || state_ == State::kDamaged) return 0;
    if (!has_more_ && !Fill()) {
      state_ = state_ == State::kBetweenFrames && bytes_ > 0 ? State::kComplete
                                                             : State::kDamaged;
      return 0;
    }
    const size_t left = ZSTD_decompressStream(context_.get(), &output, &input_);
    if (ZSTD_isError(left) != 0) {
      state_ = State::kDamaged;
    } else if (left != 0) {
      state_ = State::kInFrame;
    } else {
      state_ =
          frames_ == Frames::kFirst ? State::kComplete : State::kBetweenFrames;
    }
    has_more_ = left != 0 && output.pos == output.size;
  }
  return output.pos;
}

bool ZstdInput::Next(const void** data, int* size) {
  if (backed_up_ > 0) {
    *data = buffer_.data() + (filled_ - backed_up_);
    *size = backed_up_;
    backed_up_ = 0;
    return true;
  }
  filled_ = static_cast<int>(Decode());
  if (filled_ == 0) return false;
  bytes_ += filled_;
  *data = buffer_.data();
  *size = filled_;
  return true;
}

void ZstdInput::BackUp(int count) { backed_up_ = count; }

bool ZstdInput::Skip(int count) {
  const void* data = nullptr;
  int size = 0;
  while (count > 0) {
    if (!Next(&data, &size)) return false;
    if (size > count) BackUp(size - count);
    count -= size;
  }
  return true;
}

}  // namespace carme::metrics
