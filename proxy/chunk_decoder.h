// The chunked transfer coding, decoded strictly (RFC 9112 section 7.1).
//
// Extensions are checked, bounded and dropped: what the next hop sees is framed
// anew. Trailers are kept, within the same bound.
#ifndef CARME_PROXY_CHUNK_DECODER_H_
#define CARME_PROXY_CHUNK_DECODER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

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

}  // namespace carme::proxy

#endif  // CARME_PROXY_CHUNK_DECODER_H_
