// Assertions: what the identity backend states about a caller to the backend of
// another cluster. They contain neither uid nor role, which that backend looks
// up in its own directory.
#ifndef CARME_BACKEND_CLUSTERS_ASSERTION_H_
#define CARME_BACKEND_CLUSTERS_ASSERTION_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/identity/session.h"
#include "common/clock.h"
#include "common/crypto/signature.h"

namespace carme::backend {

inline constexpr absl::Duration kAssertionLifetime = absl::Minutes(1);
// How far the clocks of two backends may differ.
inline constexpr absl::Duration kClockTolerance = absl::Seconds(5);
inline constexpr size_t kMaxAssertionBytes = 4096;
// The audience of assertions for carme-metrics; no cluster can have this name.
inline constexpr char kMetricsAudience[] = "program:metrics";

struct SignedAssertion {
  std::string text;  // base64url of v1::Signed
  absl::Time expires_at;
};

// Thread-safe.
class AssertionSigner {
 public:
  // `clusters`: the names of the further clusters. `clock` must outlive the
  // object.
  AssertionSigner(SigningKey key, std::vector<std::string> clusters,
                  const Clock* clock);

  // An assertion about the session or access token for one cluster.
  // INVALID_ARGUMENT: the cluster is not configured.
  absl::StatusOr<SignedAssertion> Sign(const Session& session,
                                       const std::string& cluster) const;

 private:
  const SigningKey key_;
  const std::vector<std::string> clusters_;
  const Clock& clock_;
};

// Thread-safe.
class AssertionVerifier {
 public:
  // Accepts assertions of `key` for `cluster`.
  AssertionVerifier(VerifyingKey key, std::string cluster);

  // The session without uid, display name and role. UNAUTHENTICATED with the
  // reason ASSERTION_INVALID.
  absl::StatusOr<Session> Verify(std::string_view text, absl::Time now) const;

  const std::string& cluster() const { return cluster_; }

 private:
  const VerifyingKey key_;
  const std::string cluster_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_CLUSTERS_ASSERTION_H_
