// Reads zstd frames as a stream: a reader of a part needs no memory for the
// rest, and none of what stands after it.
#ifndef CARME_BACKEND_METRICS_ARCHIVE_ZSTD_INPUT_H_
#define CARME_BACKEND_METRICS_ARCHIVE_ZSTD_INPUT_H_

#include <google/protobuf/io/zero_copy_stream.h>
#include <zstd.h>

#include <cstdint>
#include <memory>
#include <string>

namespace carme::metrics {

class ZstdInput : public google::protobuf::io::ZeroCopyInputStream {
 public:
  enum class Frames { kFirst, kAll };
  // `source` outlives it.
  ZstdInput(google::protobuf::io::ZeroCopyInputStream* source, Frames frames);

  // True: everything was read, and its checksums are right. False before that,
  // and after an error, which a reader sees as the end.
  bool IsComplete() const { return state_ == State::kComplete; }

  bool Next(const void** data, int* size) override;
  void BackUp(int count) override;
  bool Skip(int count) override;
  int64_t ByteCount() const override { return bytes_ - backed_up_; }

 private:
  enum class State { kBetweenFrames, kInFrame, kComplete, kDamaged };

  // Decodes the next part into buffer_; its bytes, 0: the end.
  size_t Decode();
  // False: the source is at its end.
  bool Fill();

  google::protobuf::io::ZeroCopyInputStream* const source_;
  const Frames frames_;
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context_;
  State state_ = State::kBetweenFrames;
  ZSTD_inBuffer input_{};
  bool has_more_ = false;  // the decoder, although input_ may be at its end
  std::string buffer_;
  int64_t bytes_ = 0;
  int filled_ = 0;     // of buffer_
  int backed_up_ = 0;  // of filled_, its last bytes
};

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_ARCHIVE_ZSTD_INPUT_H_
