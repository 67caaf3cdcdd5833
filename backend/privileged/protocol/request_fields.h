// Validates what the requests of all root programs have in common. The backend
// validates the same fields independently, on purpose.
#ifndef CARME_BACKEND_PRIVILEGED_PROTOCOL_REQUEST_FIELDS_H_
#define CARME_BACKEND_PRIVILEGED_PROTOCOL_REQUEST_FIELDS_H_

#include <google/protobuf/message.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/status/status.h"

namespace carme {

inline constexpr size_t kMaxUserName = 64;
// Whether `text` may be passed to NSS: never a path, an option or two words.
bool IsUserName(std::string_view text);

// Whether `text` is 1 to `max` letters, digits and characters of `also`, and
// starts with a letter, a digit or an underscore: never with "-" or ".".
bool IsToken(std::string_view text, size_t max, const char* also);

// INVALID_ARGUMENT: field "user": expected …
absl::Status InvalidField(std::string_view field, std::string_view expected);

// Checks the fields that every request has.
absl::Status CheckRequestHeader(std::string_view request_id,
                                std::string_view user, uint32_t uid);

// Parses `body`, a frame without its header. INVALID_ARGUMENT: too long, not
// such a message, or with fields that this program does not have: fields of a
// newer backend or of another program's request are never ignored.
absl::Status ParseMessage(std::string_view body,
                          google::protobuf::Message* message);

}  // namespace carme

#endif  // CARME_BACKEND_PRIVILEGED_PROTOCOL_REQUEST_FIELDS_H_
