#include "backend/identity/factors/attestation_object.h"

#include <cstdint>
#include <optional>
#include <string>

#include "backend/identity/factors/messages.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// RFC 8949, section 3.1.
enum Major : uint8_t {
  kUnsigned = 0,
  kNegative = 1,
  kBytes = 2,
  kText = 3,
  kArray = 4,
  kMap = 5,
  kTag = 6,
  kSimple = 7,
};
constexpr int kMaxDepth = 8;

absl::Status InvalidAttestation(const std::string& cause) {
  return MakeError(factor_messages::kAttestationInvalid, {{"cause", cause}});
}

struct Head {
  Major major;
  uint64_t value;
};

// Reads only definite lengths, as CTAP2's canonical form requires.
class CborReader {
 public:
  explicit CborReader(std::string_view bytes) : rest_(bytes) {}
  bool done() const { return rest_.empty(); }

  std::optional<Head> ReadHead() {
    if (rest_.empty()) return std::nullopt;
    const auto first = static_cast<uint8_t>(rest_[0]);
    rest_.remove_prefix(1);
    const int info = first & 31;
    Head head{static_cast<Major>(first >> 5), static_cast<uint64_t>(info)};
    if (info < 24) return head;
    if (info > 27) return std::nullopt;
    const size_t length = size_t{1} << (info - 24);
    if (rest_.size() < length) return std::nullopt;
    head.value = 0;
    for (const char byte : rest_.substr(0, length)) {
      head.value = head.value << 8 | static_cast<uint8_t>(byte);
    }
    rest_.remove_prefix(length);
    return head;
  }

  std::optional<std::string_view> ReadString(Major major) {
    const std::optional<Head> head = ReadHead();
    if (!head || head->major != major) return std::nullopt;
    return Take(head->value);
  }

  // Skips one item with its content.
  bool Skip(int depth) {
    const std::optional<Head> head = ReadHead();
    if (!head || depth <= 0) return false;
    switch (head->major) {
      case kBytes:
      case kText:
        return Take(head->value).has_value();
      case kArray:
        return SkipItems(head->value, depth - 1);
      case kMap:
        return head->value <= rest_.size() &&
               SkipItems(2 * head->value, depth - 1);
      case kTag:
        return Skip(depth - 1);
      default:
        return true;
    }
  }

 private:
  std::optional<std::string_view> Take(uint64_t length) {
    if (length > rest_.size()) return std::nullopt;
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }
  // Each item takes at least one byte, so the input bounds their number.
  bool SkipItems(uint64_t count, int depth) {
    if (count > rest_.size()) return false;
    for (uint64_t i = 0; i < count; ++i) {
      if (!Skip(depth)) return false;
    }
    return true;
  }

  std::string_view rest_;
};

// One entry of the outer map.
absl::Status ReadEntry(CborReader* reader, bool* fmt, bool* statement,
                       std::optional<std::string_view>* data) {
  const std::optional<std::string_view> key = reader->ReadString(kText);
  if (key == "fmt" && !*fmt) {
    *fmt = reader->ReadString(kText).has_value();
    return *fmt ? absl::OkStatus()
                : InvalidAttestation(
                      FormatMessage(factor_messages::kFormatNoText));
  }
  if (key == "attStmt" && !*statement) {
    *statement = reader->Skip(kMaxDepth);
    return *statement ? absl::OkStatus()
                      : InvalidAttestation(
                            FormatMessage(factor_messages::kStatementBroken));
  }
  if (key == "authData" && !*data) {
    *data = reader->ReadString(kBytes);
    return *data ? absl::OkStatus()
                 : InvalidAttestation(
                       FormatMessage(factor_messages::kDataNoBytes));
  }
  return InvalidAttestation(FormatMessage(factor_messages::kEntryUnexpected));
}

}  // namespace

absl::StatusOr<std::string_view> AuthenticatorDataOf(std::string_view object) {
  if (object.size() > kMaxAttestationBytes) {
    return InvalidAttestation(
        FormatMessage(factor_messages::kSize, {{"bytes", object.size()}}));
  }
  CborReader reader(object);
  const std::optional<Head> head = reader.ReadHead();
  if (!head || head->major != kMap || head->value != 3) {
    return InvalidAttestation(FormatMessage(factor_messages::kNoMap));
  }
  bool fmt = false;
  bool statement = false;
  std::optional<std::string_view> data;
  for (int i = 0; i < 3; ++i) {
    RETURN_IF_ERROR(ReadEntry(&reader, &fmt, &statement, &data));
  }
  if (!reader.done()) {
    return InvalidAttestation(FormatMessage(factor_messages::kTrailingBytes));
  }
  return *data;
}

bool IsPlainCbor(std::string_view bytes) {
  CborReader reader(bytes);
  do {
    if (!reader.Skip(kMaxDepth)) return false;
  } while (!reader.done());
  return true;
}

}  // namespace carme::backend
