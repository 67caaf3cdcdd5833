// What the backend may ask for, checked field by field: bytes from the socket
// in, typed values out. The backend has validated them too, on purpose.
#ifndef CARME_BACKEND_PRIVILEGED_REQUEST_H_
#define CARME_BACKEND_PRIVILEGED_REQUEST_H_

#include <cstddef>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "carme/privileged/v1/privileged.pb.h"

namespace carme::impersonator {

// `body` is a frame without its header.
// INVALID_ARGUMENT: not a request, unknown fields, or a field out of bounds.
absl::StatusOr<privileged::v1::Request> ParseRequest(std::string_view body);

inline constexpr size_t kMostUserName = 64;
// What the name of a reservation of Carme's begins with.
inline constexpr std::string_view kReservationPrefix = "carme-";
// What may be asked of NSS: never a path, an option or two words.
bool IsUserName(std::string_view text);

// The rules alone, for a request that was parsed.
absl::Status CheckRequest(const privileged::v1::Request& request);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_REQUEST_H_
