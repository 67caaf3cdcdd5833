#include "backend/privileged/impersonator/protocol/exec_request.h"

#include <cstdint>
#include <cstring>

#include "backend/privileged/impersonator/protocol/request.h"

namespace carme::impersonator {
namespace {

// Numbers in host byte order, and the name padded with zeros.
struct Head {
  uint32_t uid;
  uint32_t as_slurm_user;
  char user[kMaxUserName];
};
static_assert(sizeof(Head) == 72);

}  // namespace

std::string EncodeExecRequest(std::string_view user, Uid uid,
                              std::string_view request, bool as_slurm_user) {
  Head head{
      .uid = uid.value(), .as_slurm_user = as_slurm_user ? 1U : 0U, .user = {}};
  user.copy(head.user, sizeof head.user);
  std::string bytes(sizeof head, '\0');
  std::memcpy(bytes.data(), &head, sizeof head);
  return bytes.append(request);
}

absl::StatusOr<ExecRequest> DecodeExecRequest(std::string_view bytes) {
  Head head{};
  if (bytes.size() < sizeof head) {
    return absl::InvalidArgumentError("truncated message");
  }
  std::memcpy(&head, bytes.data(), sizeof head);
  ExecRequest exec{.user = std::string(head.user, sizeof head.user),
                   .uid = Uid(head.uid),
                   .as_slurm_user = head.as_slurm_user != 0,
                   .request = bytes.substr(sizeof head)};
  exec.user.erase(exec.user.find_last_not_of('\0') + 1);
  if (!IsUserName(exec.user)) {
    return absl::InvalidArgumentError("message with an invalid user name");
  }
  return exec;
}

}  // namespace carme::impersonator
