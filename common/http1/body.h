// Tracks a message body as it arrives: which bytes belong to it, and its end.
//
// Not thread-safe. No I/O.
#ifndef CARME_COMMON_HTTP1_BODY_H_
#define CARME_COMMON_HTTP1_BODY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/http1/head.h"

namespace carme {

// Decodes one chunked body.
class ChunkDecoder {
 public:
  struct Step {
    size_t consumed = 0;  // less than given only when done or bad
    size_t payload = 0;   // payload bytes, now at the front of the buffer
    bool done = false;
    bool bad = false;
  };

  // Decodes the next bytes of the body in place: their payload moves to the
  // front of the buffer. Bytes from `consumed` on stay where they are.
  Step Decode(char* bytes, size_t size) { return Read(bytes, size, bytes); }
  // Finds the end of the body without changing the bytes.
  Step Skip(std::string_view bytes) {
    return Read(bytes.data(), bytes.size(), nullptr);
  }
  // When done: the trailer lines, each with CRLF, not validated.
  std::string_view trailers() const { return trailers_; }

 private:
  friend class BodyProgress;
  enum class State : uint8_t {
    kSize,
    kExtension,
    kSizeLf,
    kData,
    kDataCr,
    kDataLf,
    kTrailerStart,
    kTrailer,
    kTrailerLf,
    kEndLf,
    kDone,
    kBad,
  };

  // Copies the payload to `payload`, which may be `bytes`, or null.
  Step Read(const char* bytes, size_t size, char* payload);
  void TakeByte(char c);
  void TakeSizeByte(char c);
  void TakeExtraByte(char c, State after_cr);

  State state_ = State::kSize;
  uint8_t digits_ = 0;
  uint16_t extra_ = 0;  // bytes of extensions and trailers
  uint64_t left_ = 0;   // of this chunk's data
  std::string trailers_;
};

// Tracks one body of any framing, in either direction.
class BodyProgress {
 public:
  explicit BodyProgress(const BodyFraming& framing)
      : kind_(framing.kind), left_(framing.length) {}

  // Consumes the next bytes from the wire. The payload is at the front of the
  // buffer afterwards. Bytes from `consumed` on belong to the next message.
  ChunkDecoder::Step Take(char* bytes, size_t size) {
    return Read(bytes, size, bytes);
  }
  // Consumes the next bytes without changing them.
  ChunkDecoder::Step Skip(std::string_view bytes) {
    return Read(bytes.data(), bytes.size(), nullptr);
  }
  // The sender closed its end. Returns whether that is a valid end of the body.
  bool TakeEnd();

  bool done() const {
    return kind_ == BodyKind::kNone ||
           (kind_ == BodyKind::kLength && left_ == 0);
  }
  // Of a complete chunked body.
  std::string_view trailers() const { return decoder_.trailers(); }
  // Whether the payload is forwarded in chunks.
  bool chunks() const {
    return kind_ == BodyKind::kChunked || kind_ == BodyKind::kUntilClose;
  }

 private:
  ChunkDecoder::Step Read(const char* bytes, size_t size, char* payload);

  BodyKind kind_;  // kNone when complete
  uint64_t left_;
  ChunkDecoder decoder_;
};

// Appends nothing for an empty payload, which would end the body.
void AppendChunk(std::string_view payload, std::string* out);
// The end of a chunked body without trailers.
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace carme

#endif  // CARME_COMMON_HTTP1_BODY_H_
