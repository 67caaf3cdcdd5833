#include "backend/privileged/impersonator/protocol/exec_request.h"

#include <cstdint>
#include <cstring>
#include <utility>

#include "backend/privileged/protocol/claimed_user.h"
#include "common/status.h"

namespace carme::impersonator {
namespace {

// After the user, in host byte order.
using Flag = uint32_t;

}  // namespace

std::string EncodeExecRequest(std::string_view user, Uid uid,
                              std::string_view request, bool as_slurm_user) {
  const Flag flag = as_slurm_user ? 1 : 0;
  std::string bytes = EncodeClaimedUser(user, uid);
  bytes.append(reinterpret_cast<const char*>(&flag), sizeof flag);
  return bytes.append(request);
}

absl::StatusOr<ExecRequest> DecodeExecRequest(std::string_view bytes) {
  Flag flag = 0;
  if (bytes.size() < kClaimedUserBytes + sizeof flag) {
    return absl::InvalidArgumentError("truncated message");
  }
  ASSIGN_OR_RETURN(ClaimedUser user, DecodeClaimedUser(bytes));
  std::memcpy(&flag, bytes.data() + kClaimedUserBytes, sizeof flag);
  return ExecRequest{.user = std::move(user.name),
                     .uid = user.uid,
                     .as_slurm_user = flag != 0,
                     .request = bytes.substr(kClaimedUserBytes + sizeof flag)};
}

}  // namespace carme::impersonator
