#include "backend/metrics/ingest/wire_cursor.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "common/printable.h"

namespace carme::metrics {
namespace {

constexpr int kMaxTagBytes = 5;
constexpr int kMaxVarintBytes = 10;
constexpr uint64_t kMaxSize = uint64_t{1} << 31;

bool IsAscii(std::string_view text) {
  unsigned char all = 0;
  for (const char c : text) all |= static_cast<unsigned char>(c);
  return all < 0x80;
}

}  // namespace

bool WireCursor::ReadLongVarint(uint64_t* value) {
  uint64_t result = 0;
  for (int i = 0; i < kMaxVarintBytes && at_ != end_; ++i) {
    const auto byte = static_cast<uint8_t>(*at_++);
    result |= uint64_t{byte & 0x7fu} << (7 * i);
    if (byte < 0x80) {
      *value = result;
      return true;
    }
  }
  return false;
}

bool WireCursor::ReadLongTag(uint32_t* tag) {
  const char* const begin = at_;
  uint64_t value = 0;
  if (!ReadVarint(&value) || at_ - begin > kMaxTagBytes) return false;
  *tag = static_cast<uint32_t>(value);
  return *tag >> 3 != 0;
}

bool WireCursor::ReadFixed64(uint64_t* value) {
  static_assert(std::endian::native == std::endian::little);
  if (end_ - at_ < static_cast<ptrdiff_t>(sizeof *value)) return false;
  std::memcpy(value, at_, sizeof *value);
  at_ += sizeof *value;
  return true;
}

bool WireCursor::ReadBytes(std::string_view* bytes) {
  const char* const begin = at_;
  uint64_t size = 0;
  if (!ReadVarint(&size) || at_ - begin > kMaxTagBytes || size >= kMaxSize) {
    return false;
  }
  const char* const content = at_;
  if (!Advance(size)) return false;
  *bytes = std::string_view(content, size);
  return true;
}

bool WireCursor::ReadText(std::string_view* text) {
  return ReadBytes(text) && (IsAscii(*text) || IsUtf8(*text));
}

bool WireCursor::Advance(uint64_t size) {
  if (size > static_cast<uint64_t>(end_ - at_)) return false;
  at_ += size;
  return true;
}

bool WireCursor::Skip(uint32_t tag, int depth) {
  uint64_t number = 0;
  std::string_view bytes;
  switch (tag & 7) {
    case kWireVarint:
      return ReadVarint(&number);
    case kWireFixed64:
      return Advance(8);
    case kWireBytes:
      return ReadBytes(&bytes);
    case kWireGroup:
      return SkipGroup(tag, depth - 1);
    case kWireFixed32:
      return Advance(4);
    default:
      return false;
  }
}

bool WireCursor::SkipGroup(uint32_t tag, int depth) {
  if (depth < 0) return false;
  const uint32_t last = (tag & ~7u) | kWireEndGroup;
  while (true) {
    uint32_t next = 0;
    if (!ReadTag(&next)) return false;
    if (next == last) return true;
    if (!Skip(next, depth)) return false;
  }
}

}  // namespace carme::metrics
