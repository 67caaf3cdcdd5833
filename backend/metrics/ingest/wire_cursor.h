// Reads fields of protobuf's wire format from bytes, as strictly as protobuf's
// own parser. https://protobuf.dev/programming-guides/encoding/
#ifndef CARME_BACKEND_METRICS_INGEST_WIRE_CURSOR_H_
#define CARME_BACKEND_METRICS_INGEST_WIRE_CURSOR_H_

#include <cstdint>
#include <string_view>

namespace carme::metrics {

enum WireType : uint32_t {
  kWireVarint = 0,
  kWireFixed64 = 1,
  kWireBytes = 2,
  kWireGroup = 3,
  kWireEndGroup = 4,
  kWireFixed32 = 5,
};

constexpr uint32_t WireTag(uint32_t field, WireType type) {
  return field << 3 | type;
}

// Not thread-safe. After a function has returned false, the bytes are
// malformed and the cursor must not be used.
class WireCursor {
 public:
  // Messages and groups within each other.
  static constexpr int kMaxDepth = 100;

  explicit WireCursor(std::string_view bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool done() const { return at_ == end_; }
  bool ReadTag(uint32_t* tag) {
    if (at_ != end_ && static_cast<uint8_t>(*at_) < 0x80) {
      *tag = static_cast<uint8_t>(*at_++);
      return *tag >> 3 != 0;
    }
    return ReadLongTag(tag);
  }
  bool ReadVarint(uint64_t* value) {
    if (at_ != end_ && static_cast<uint8_t>(*at_) < 0x80) {
      *value = static_cast<uint8_t>(*at_++);
      return true;
    }
    return ReadLongVarint(value);
  }
  bool ReadFixed64(uint64_t* value);
  // Of a field of kWireBytes.
  bool ReadBytes(std::string_view* bytes);
  // The same; false if it is not UTF-8.
  bool ReadText(std::string_view* text);
  // The rest of a field whose tag was read, with groups in it at most `depth`
  // deep.
  bool Skip(uint32_t tag, int depth);

 private:
  bool ReadLongTag(uint32_t* tag);
  bool ReadLongVarint(uint64_t* value);
  bool SkipGroup(uint32_t tag, int depth);
  bool Advance(uint64_t size);

  const char* at_;
  const char* const end_;
};

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_INGEST_WIRE_CURSOR_H_
