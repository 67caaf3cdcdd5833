// Parses and validates a request from the backend, field by field. The backend
// validates the same fields independently, on purpose.
#ifndef CARME_BACKEND_PRIVILEGED_IMPERSONATOR_PROTOCOL_REQUEST_H_
#define CARME_BACKEND_PRIVILEGED_IMPERSONATOR_PROTOCOL_REQUEST_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "carme/privileged/v1/privileged.pb.h"

namespace carme::impersonator {

// `body` is a frame without its header.
// INVALID_ARGUMENT: not a request, unknown fields, or a field out of bounds.
absl::StatusOr<privileged::v1::Request> ParseRequest(std::string_view body);

// The validation alone, for a parsed request.
absl::Status CheckRequest(const privileged::v1::Request& request);

// Prefix of the names of Carme's reservations.
inline constexpr std::string_view kReservationPrefix = "carme-";

// The number of tasks of an array such as "0-9", "1,3,5" or "0-99:2", each with
// an optional "%4"; an index that occurs twice counts twice. Empty: invalid, or
// an index beyond Slurm's own limit. Accepts less than Slurm does, and is
// independent of the backend's parser on purpose.
std::optional<int64_t> CountArrayTasks(std::string_view array);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_IMPERSONATOR_PROTOCOL_REQUEST_H_
