// What a request to a job's host may do, and until when.
#ifndef CARME_PROXY_ACCESS_ACCESS_GRANT_H_
#define CARME_PROXY_ACCESS_ACCESS_GRANT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/crypto/signature.h"
#include "common/ids.h"
#include "proxy/http/virtual_hosts.h"

namespace carme::proxy {

// Immutable; shared between a connection and its upstreams.
struct AccessGrant {
  JobHost host;  // on which it is good
  SessionId session;
  std::string user;  // for the log
  std::string app;
  // At a site of paths: the app knows its prefix and is sent it.
  bool keeps_prefix = false;
  absl::Time expires;
  // The backend's signed grant as it came: the agent verifies it itself.
  std::string signed_grant;
};
using AccessGrantPtr = std::shared_ptr<const AccessGrant>;

// Reads a serialized Signed with a Grant. With `key` the signature is checked;
// without it was checked before and kept under a seal of ours.
// INVALID_ARGUMENT: no grant, PERMISSION_DENIED: the signature is wrong.
absl::StatusOr<AccessGrantPtr> ParseAccessGrant(const std::string& signed_grant,
                                                const VerifyingKey* key);

}  // namespace carme::proxy

#endif  // CARME_PROXY_ACCESS_ACCESS_GRANT_H_
