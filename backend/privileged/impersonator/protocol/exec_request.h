// The message from the request process to its executor: the user to become, and
// the request.
//
// The identity is at the front, in fixed places, because root reads it. The
// request behind it is passed on as received: only the user, or SlurmUser for
// operations that run as SlurmUser, parses it.
#ifndef CARME_BACKEND_PRIVILEGED_IMPERSONATOR_PROTOCOL_EXEC_REQUEST_H_
#define CARME_BACKEND_PRIVILEGED_IMPERSONATOR_PROTOCOL_EXEC_REQUEST_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/ids.h"

namespace carme::impersonator {

struct ExecRequest {
  std::string user;
  Uid uid;
  bool as_slurm_user = false;  // become SlurmUser, on behalf of this user
  std::string_view request;    // a part of the decoded bytes, unparsed
};

// REQUIRES: a name of at most 64 bytes.
std::string EncodeExecRequest(std::string_view user, Uid uid,
                              std::string_view request,
                              bool as_slurm_user = false);
// INVALID_ARGUMENT: truncated, or an invalid user name.
absl::StatusOr<ExecRequest> DecodeExecRequest(std::string_view bytes);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_IMPERSONATOR_PROTOCOL_EXEC_REQUEST_H_
