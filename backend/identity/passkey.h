// WebAuthn without a network or a disk: whether a new passkey, or an answer of
// an enrolled one, is what was asked for. The signatures are libfido2's
// business. User presence is demanded; whether the authenticator has verified
// its user too is left to it ("preferred"), for the password was asked already.
#ifndef CARME_BACKEND_IDENTITY_PASSKEY_H_
#define CARME_BACKEND_IDENTITY_PASSKEY_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace carme::backend {

// Who asks.
struct PasskeySite {
  std::string origin;  // the portal's: https://host[:port]
  std::string rp_id;   // its host
  std::string name;    // shown by the browser
};
// `portal_url` is https://host[:port].
PasskeySite PasskeySiteOf(std::string_view portal_url, std::string_view name);

inline constexpr size_t kPasskeyChallengeBytes = 32;
// COSE, the one we like best first: ES256, EdDSA, RS256.
inline constexpr int kPasskeyAlgorithms[] = {-7, -8, -257};

// What navigator.credentials.create() and get() gave, unchanged.
struct PasskeyCreated {
  std::string client_data_json;
  std::string attestation_object;
  std::string name;  // for the list of factors
};
struct PasskeyAssertion {
  std::string credential_id;
  std::string client_data_json;
  std::string authenticator_data;
  std::string signature;
};

struct PasskeyKey {
  std::string credential_id;
  std::string public_key;  // as libfido2 keeps it
  int algorithm = 0;       // one of kPasskeyAlgorithms
  uint32_t counter = 0;    // 0: the authenticator does not count
};

// UNAUTHENTICATED from both: it is not an answer to this challenge from this
// site; the message says why and is for the log.
absl::StatusOr<PasskeyKey> CheckPasskeyCreated(const PasskeySite& site,
                                               std::string_view challenge,
                                               const PasskeyCreated& created);
// Gives the new counter; whether it may follow the old one is the caller's to
// say, in the transaction that keeps it.
absl::StatusOr<uint32_t> CheckPasskeyAssertion(
    const PasskeySite& site, std::string_view challenge,
    const PasskeyAssertion& assertion, const PasskeyKey& key);

// Whether a counter may follow another one (W3C, section 7.2, step 21).
constexpr bool CounterMayFollow(uint32_t before, uint32_t now) {
  return now > before || (now == 0 && before == 0);
}

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_PASSKEY_H_
