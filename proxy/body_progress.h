// A body as it arrives: which bytes belong to it, and when it is whole.
#ifndef CARME_PROXY_BODY_PROGRESS_H_
#define CARME_PROXY_BODY_PROGRESS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "proxy/chunk_decoder.h"
#include "proxy/http_head.h"

namespace carme::proxy {

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

#endif  // CARME_PROXY_BODY_PROGRESS_H_
