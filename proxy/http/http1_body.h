// A body as it arrives: which bytes belong to it, and when it is whole.
#ifndef CARME_PROXY_HTTP_HTTP1_BODY_H_
#define CARME_PROXY_HTTP_HTTP1_BODY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "proxy/http/http1_head.h"

namespace carme::proxy {

// Of one body. A value.
class ChunkDecoder {
 public:
  struct Step {
    size_t consumed = 0;  // less than given only when done or bad
    size_t payload = 0;   // bytes that now stand at the buffer's front
    bool done = false;
    bool bad = false;
  };

  // Takes the next bytes of the body and moves their payload to the front of
  // the buffer. Bytes from `consumed` on are left where they are.
  Step Decode(char* bytes, size_t size);
  // Once it is done: lines that end with CRLF, not judged.
  std::string_view trailers() const { return trailers_; }

 private:
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

  void TakeByte(char c);
  void TakeSizeByte(char c);
  void TakeExtraByte(char c, State after_cr);

  State state_ = State::kSize;
  uint8_t digits_ = 0;
  uint16_t extra_ = 0;  // bytes of extensions and trailers
  uint64_t left_ = 0;   // of this chunk's data
  std::string trailers_;
};

// Of one message, either direction. A value.
class BodyProgress {
 public:
  explicit BodyProgress(const BodyFraming& framing)
      : kind_(framing.kind), left_(framing.length) {}

  // Takes the next bytes off the wire. The payload stands at the buffer's
  // front afterwards; what lies beyond `consumed` is the next message's.
  ChunkDecoder::Step Take(char* bytes, size_t size);
  // The sender's end of the connection. True when that ends the body well.
  bool TakeEnd();

  bool done() const {
    return kind_ == BodyKind::kNone ||
           (kind_ == BodyKind::kLength && left_ == 0);
  }
  // Of a body in chunks that is whole.
  std::string_view trailers() const { return decoder_.trailers(); }
  // Whether the payload goes on to the next hop in chunks of our own.
  bool chunks() const {
    return kind_ == BodyKind::kChunked || kind_ == BodyKind::kUntilClose;
  }

 private:
  BodyKind kind_;  // kNone once it is whole
  uint64_t left_;
  ChunkDecoder decoder_;
};

// An empty payload appends nothing: it would be the end.
void AppendChunk(std::string_view payload, std::string* out);
// `trailers`: lines, as ChunkDecoder gives them. Those go out that may.
void AppendLastChunk(std::string_view trailers, std::string* out);

}  // namespace carme::proxy

#endif  // CARME_PROXY_HTTP_HTTP1_BODY_H_
