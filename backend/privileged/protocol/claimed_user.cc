#include "backend/privileged/protocol/claimed_user.h"

#include <cstdint>
#include <cstring>

#include "backend/privileged/protocol/messages.h"
#include "backend/privileged/protocol/request_fields.h"

namespace carme {
namespace {

// The number in host byte order, and the name padded with zeros.
struct ClaimedUserBytes {
  uint32_t uid;
  char name[kMaxUserName];
};
static_assert(sizeof(ClaimedUserBytes) == kClaimedUserBytes);

}  // namespace

std::string EncodeClaimedUser(std::string_view name, Uid uid) {
  ClaimedUserBytes raw{.uid = uid.value(), .name = {}};
  name.copy(raw.name, sizeof raw.name);
  std::string bytes(sizeof raw, '\0');
  std::memcpy(bytes.data(), &raw, sizeof raw);
  return bytes;
}

absl::StatusOr<ClaimedUser> DecodeClaimedUser(std::string_view bytes) {
  ClaimedUserBytes raw{};
  if (bytes.size() < sizeof raw) {
    return MakePlainError(privileged_protocol_messages::kMessageTruncated);
  }
  std::memcpy(&raw, bytes.data(), sizeof raw);
  ClaimedUser user{.name = std::string(raw.name, sizeof raw.name),
                   .uid = Uid(raw.uid)};
  user.name.erase(user.name.find_last_not_of('\0') + 1);
  if (!IsUserName(user.name)) {
    return MakePlainError(privileged_protocol_messages::kUserNameInvalid);
  }
  return user;
}

}  // namespace carme
