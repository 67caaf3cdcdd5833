// What the process of a request does in every root program: accepts one
// connection, reads one request, and reports how its executor ended.
#ifndef CARME_BACKEND_PRIVILEGED_SERVER_REQUEST_PROCESS_H_
#define CARME_BACKEND_PRIVILEGED_SERVER_REQUEST_PROCESS_H_

#include <sys/types.h>

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/privileged/privsep/child.h"
#include "backend/privileged/server/fork_server.h"
#include "carme/privileged/v1/outcome.pb.h"
#include "common/unique_fd.h"

namespace carme {

// How long NSS may take to look a user up.
inline constexpr absl::Duration kNameServiceTimeout = absl::Seconds(5);

// The process that sent the request: SO_PEERCRED, unix(7).
struct Peer {
  pid_t pid = 0;
  uid_t uid = 0;
};

struct AcceptedConnection {
  UniqueFd fd;
  Peer peer;
};

struct AcceptOptions {
  uid_t peer_uid;  // only this user's connections are served
  // If set: another process must serve instead. The process then ends with
  // kReplaceProcess before it accepts.
  std::function<bool()> is_outdated = nullptr;
  std::string refusal;  // the response that other users get
};

// Waits for a connection of `peer_uid` and accepts it. The process has neither
// the listening socket nor the pipe afterwards, and no longer dies with the
// server. SIGTERM ends the process only while it waits.
AcceptedConnection AcceptConnection(const ForkedProcess& process,
                                    const AcceptOptions& options);

// False: no connection within `timeout`.
bool AwaitConnection(int socket, absl::Duration timeout);

// Reads the frame of a request, which the backend sends with the connection.
// The errors are those of ReadFrame().
absl::StatusOr<std::string> ReadRequestFrame(int fd);

// The audit line of a request that is invalid: none of its fields is trusted.
void AuditRejected(const Peer& peer, const absl::Status& status);

// Why there is no response of an executor.
struct ChildFailure {
  privileged::v1::Outcome outcome;
  std::string message;
};
// REQUIRES: the child has not responded.
ChildFailure FailureOf(const ChildReport& report);
// The same for a child that looks up `user` within `timeout`.
ChildFailure FailureOfLookUp(const ChildReport& report, const std::string& user,
                             absl::Duration timeout);

}  // namespace carme

#endif  // CARME_BACKEND_PRIVILEGED_SERVER_REQUEST_PROCESS_H_
