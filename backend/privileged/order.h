// What a request's process tells its actor: whom to become, and the request.
//
// Whom to become stands in front, in fixed places, because root reads it. The
// request behind it is as its sender wrote it: it is parsed by the user, or by
// Slurm's own user where the act is the operator's.
#ifndef CARME_BACKEND_PRIVILEGED_ORDER_H_
#define CARME_BACKEND_PRIVILEGED_ORDER_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/ids.h"

namespace carme::impersonator {

struct Order {
  std::string user;
  Uid uid;
  bool as_operator = false;  // become Slurm's own user, on this user's behalf
  std::string_view request;  // of the bytes that were decoded, unread
};

// REQUIRES: a name of at most 64 bytes.
std::string EncodeOrder(std::string_view user, Uid uid,
                        std::string_view request, bool as_operator = false);
// INVALID_ARGUMENT: too short, or no name that a request may have.
absl::StatusOr<Order> DecodeOrder(std::string_view bytes);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_ORDER_H_
