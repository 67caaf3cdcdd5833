#include "backend/identity/ldap/active_directory.h"

#include <cstddef>
#include <cstdint>
#include <limits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "backend/identity/ldap/messages.h"
#include "common/printable.h"

namespace carme::backend {
namespace {

// A SID ([MS-DTYP] 2.4.2.2) is its revision, the number of its parts, six bytes
// of authority, and the parts, of which the last one is the account's.
constexpr size_t kSidHead = 8;
constexpr size_t kSidPart = 4;
constexpr size_t kMaxSidParts = 15;

// UF_ACCOUNTDISABLE ([MS-ADTS] 2.2.16).
constexpr int64_t kDisabled = 0x2;

uint64_t Byte(std::string_view bytes, size_t i) {
  return static_cast<unsigned char>(bytes[i]);
}

uint64_t LittleEndian(std::string_view bytes) {
  uint64_t number = 0;
  for (size_t i = bytes.size(); i-- > 0;) number = number << 8 | Byte(bytes, i);
  return number;
}

uint64_t BigEndian(std::string_view bytes) {
  uint64_t number = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    number = number << 8 | Byte(bytes, i);
  }
  return number;
}

// Ticks of 100 ns since 1601 ([MS-DTYP] 2.3.3).
absl::Time FromFileTime(int64_t ticks) {
  return absl::FromCivil(absl::CivilSecond(1601, 1, 1), absl::UTCTimeZone()) +
         ticks * absl::Nanoseconds(100);
}

void AppendUtf16(uint32_t unit, std::string* bytes) {
  bytes->push_back(static_cast<char>(unit & 0xff));
  bytes->push_back(static_cast<char>(unit >> 8));
}

}  // namespace

std::optional<std::string> PrimaryGroupSid(std::string_view object_sid,
                                           std::string_view group_id) {
  uint32_t group = 0;
  if (object_sid.size() < kSidHead + kSidPart || object_sid[0] != 1 ||
      !absl::SimpleAtoi(std::string(group_id), &group)) {
    return std::nullopt;
  }
  const size_t parts = Byte(object_sid, 1);
  if (parts > kMaxSidParts ||
      object_sid.size() != kSidHead + parts * kSidPart) {
    return std::nullopt;
  }
  std::string sid = absl::StrCat("S-1-", BigEndian(object_sid.substr(2, 6)));
  for (size_t part = 0; part + 1 < parts; ++part) {
    absl::StrAppend(
        &sid, "-",
        LittleEndian(object_sid.substr(kSidHead + part * kSidPart, kSidPart)));
  }
  return absl::StrCat(sid, "-", group);
}

std::string AccountProblem(std::string_view control, std::string_view expires,
                           absl::Time now) {
  int64_t bits = 0;
  if (!control.empty() && !absl::SimpleAtoi(std::string(control), &bits)) {
    return FormatMessage(ldap_messages::kControlNoNumber);
  }
  if ((bits & kDisabled) != 0) {
    return FormatMessage(ldap_messages::kAccountDisabled);
  }
  int64_t ticks = 0;
  if (!expires.empty() && !absl::SimpleAtoi(std::string(expires), &ticks)) {
    return FormatMessage(ldap_messages::kExpiryNoNumber);
  }
  // Both mean never ([MS-ADA1] 2.1).
  const bool expiring =
      ticks != 0 && ticks != std::numeric_limits<int64_t>::max();
  if (!expiring || FromFileTime(ticks) > now) return "";
  return FormatMessage(ldap_messages::kAccountExpired);
}

// In quotes and in UTF-16 ([MS-ADTS] 3.1.1.3.1.5).
std::optional<std::string> EncodeUnicodePwd(std::string_view password) {
  if (!IsUtf8(password)) return std::nullopt;
  std::string bytes;
  AppendUtf16('"', &bytes);
  for (size_t i = 0; i < password.size();) {
    const uint64_t first = Byte(password, i);
    const size_t length = first < 0x80   ? 1
                          : first < 0xe0 ? 2
                          : first < 0xf0 ? 3
                                         : 4;
    // Of the first byte of a longer form, the bits after its leading ones.
    auto point =
        static_cast<uint32_t>(length == 1 ? first : first & (0x7f >> length));
    for (size_t more = 1; more < length; ++more) {
      point = point << 6 | (Byte(password, i + more) & 0x3f);
    }
    if (point < 0x10000) {
      AppendUtf16(point, &bytes);
    } else {
      AppendUtf16(0xd800 + ((point - 0x10000) >> 10), &bytes);
      AppendUtf16(0xdc00 + ((point - 0x10000) & 0x3ff), &bytes);
    }
    i += length;
  }
  AppendUtf16('"', &bytes);
  return bytes;
}

}  // namespace carme::backend
