// The first message of the proxy on each connection: an access grant, signed by
// the backend.
//
//   "CARME1\0\0", 4 bytes of length in network order, a serialized
//   carme.v1.Signed of that length with a carme.v1.Grant in it.
//
// Functions over values. Their input comes from an untrusted network.
#ifndef CARME_SLURM_HOOKS_AGENT_DATA_PATH_GRANT_H_
#define CARME_SLURM_HOOKS_AGENT_DATA_PATH_GRANT_H_

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/crypto/signature.h"
#include "common/ids.h"

namespace carme::agent {

inline constexpr size_t kPreambleHeadBytes = 12;
inline constexpr size_t kMaxGrantBytes = 4096;

// Returns the length in the head of a preamble. INVALID_ARGUMENT: wrong magic
// bytes, or a length outside 1 to kMaxGrantBytes. `head` must have
// kPreambleHeadBytes.
absl::StatusOr<size_t> ReadPreambleHead(std::string_view head);

// What a grant must be valid for.
struct GrantRules {
  JobId job;
  std::set<std::string> apps;
  VerifyingKey backend;
};

struct AcceptedGrant {
  std::string app;
  SessionId session;
  std::string user;
  absl::Time expires_at;
};

// Verifies a grant. INVALID_ARGUMENT: not a Signed with a Grant;
// UNAUTHENTICATED: not signed by the backend; PERMISSION_DENIED: for another
// job or app, without the right "use", or expired. Messages are for the log
// only.
absl::StatusOr<AcceptedGrant> VerifyGrant(std::string_view signed_bytes,
                                          const GrantRules& rules,
                                          absl::Time now);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_DATA_PATH_GRANT_H_
