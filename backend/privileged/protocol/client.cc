#include "backend/privileged/protocol/client.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/privileged/protocol/frame_io.h"
#include "backend/privileged/protocol/messages.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr absl::Duration kProbeTimeout = absl::Seconds(3);

// connect(2) on a unix socket does not wait for accept(2): it succeeds or fails
// at once, with EAGAIN if the queue is full.
absl::StatusOr<UniqueFd> ConnectToProgram(const std::string& path,
                                          std::string_view program) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string what = absl::StrCat("connect to the ", std::string(program),
                                        "'s socket \"", path, "\"");
  if (path.size() >= sizeof address.sun_path) {
    return MakePlainError(privileged_protocol_messages::kSocketNameTooLong,
                          {{"subject", what}});
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid() ||
      connect(fd.get(), reinterpret_cast<const sockaddr*>(&address),
              sizeof address) != 0) {
    return absl::UnavailableError(ErrnoError(errno, what).message());
  }
  return fd;
}

absl::Status NoResponse(std::string_view program, absl::Duration timeout) {
  return MakePlainError(
      privileged_protocol_messages::kNoResponse,
      {{"program", program}, {"timeout", absl::FormatDuration(timeout)}});
}

}  // namespace

absl::StatusOr<UniqueFd> SendToProgram(
    const std::string& socket, std::string_view program,
    const google::protobuf::Message& request) {
  ASSIGN_OR_RETURN(UniqueFd fd, ConnectToProgram(socket, program));
  std::string body;
  // Fails for strings that are not UTF-8.
  if (!request.SerializeToString(&body)) {
    return absl::InternalError("the request cannot be serialized");
  }
  RETURN_IF_ERROR(WriteFrame(fd.get(), body));
  return fd;
}

absl::Status ReadFromProgram(int fd, absl::Time deadline,
                             absl::Duration timeout, std::string_view program,
                             google::protobuf::Message* response) {
  const absl::StatusOr<std::string> answer =
      ReadFrame(fd, deadline, kMaxResponseBytes);
  if (absl::IsDeadlineExceeded(answer.status())) {
    return NoResponse(program, timeout);
  }
  if (!answer.ok() || !response->ParseFromString(*answer)) {
    return MakePlainError(privileged_protocol_messages::kEndedEarly,
                          {{"program", program}});
  }
  return absl::OkStatus();
}

absl::Status ProbeProgram(const std::string& socket, std::string_view program) {
  ASSIGN_OR_RETURN(const UniqueFd fd, ConnectToProgram(socket, program));
  if (shutdown(fd.get(), SHUT_WR) != 0) return ErrnoError(errno, "shutdown");
  const absl::Status end =
      ReadFrame(fd.get(), absl::Now() + kProbeTimeout, kMaxResponseBytes)
          .status();
  if (absl::IsCancelled(end)) return absl::OkStatus();
  if (end.ok()) {
    return MakePlainError(privileged_protocol_messages::kUserNotServed,
                          {{"program", program}});
  }
  if (!absl::IsDeadlineExceeded(end)) return end;
  return NoResponse(program, kProbeTimeout);
}

}  // namespace carme
