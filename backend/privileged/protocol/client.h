// The client's side of a root program's socket. One connection carries one
// request. `program` is the program's name in error messages: "impersonator".
#ifndef CARME_BACKEND_PRIVILEGED_PROTOCOL_CLIENT_H_
#define CARME_BACKEND_PRIVILEGED_PROTOCOL_CLIENT_H_

#include <google/protobuf/message.h>

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/unique_fd.h"

namespace carme {

// Returns a connection on which the request was sent. Never blocks.
// UNAVAILABLE: the program does not listen, or its queue is full.
// INTERNAL: the request contains strings that are not UTF-8.
absl::StatusOr<UniqueFd> SendToProgram(
    const std::string& socket, std::string_view program,
    const google::protobuf::Message& request);

// Blocks until the response has arrived, or `deadline`; `timeout` is for the
// error message. DEADLINE_EXCEEDED. ABORTED: no response will come.
absl::Status ReadFromProgram(int fd, absl::Time deadline,
                             absl::Duration timeout, std::string_view program,
                             google::protobuf::Message* response);

// Connects without a request: the process that accepts the connection reads its
// end and closes it, unless it hangs. Blocks for at most three seconds.
// PERMISSION_DENIED: the program does not serve this user. UNAVAILABLE,
// DEADLINE_EXCEEDED.
absl::Status ProbeProgram(const std::string& socket, std::string_view program);

}  // namespace carme

#endif  // CARME_BACKEND_PRIVILEGED_PROTOCOL_CLIENT_H_
