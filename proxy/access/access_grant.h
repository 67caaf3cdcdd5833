// The permission to use an app of a job until a time.
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
  JobHost host;  // the host for which it is valid
  SessionId session;
  std::string user;  // for the log
  std::string app;
  // With path-based routing: the app gets targets with their prefix.
  bool keeps_prefix = false;
  absl::Time expires;
  // The grant as the backend signed it. The agent verifies it itself.
  std::string signed_grant;
};
using AccessGrantPtr = std::shared_ptr<const AccessGrant>;

// Parses a serialized Signed with a Grant. With `key`, verifies the signature.
// Without it, the caller has verified it before. INVALID_ARGUMENT: malformed.
// PERMISSION_DENIED: wrong signature.
absl::StatusOr<AccessGrantPtr> ParseAccessGrant(const std::string& signed_grant,
                                                const VerifyingKey* key);

}  // namespace carme::proxy

#endif  // CARME_PROXY_ACCESS_ACCESS_GRANT_H_
