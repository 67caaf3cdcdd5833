// WebAuthn without network or disk: verifies registrations and assertions of
// passkeys. libfido2 verifies the signatures. User presence is required; user
// verification is "preferred", because the login also requires the password.
#ifndef CARME_BACKEND_IDENTITY_FACTORS_PASSKEY_H_
#define CARME_BACKEND_IDENTITY_FACTORS_PASSKEY_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace carme::backend {

// The relying party.
struct PasskeySite {
  std::string origin;  // of the portal: https://host[:port]
  std::string rp_id;   // its host
  std::string name;    // shown by the browser
};
// `portal_url` is https://host[:port].
PasskeySite PasskeySiteOf(std::string_view portal_url, std::string_view name);

inline constexpr size_t kPasskeyChallengeBytes = 32;
// COSE algorithms in order of preference: ES256, EdDSA, RS256.
inline constexpr int kPasskeyAlgorithms[] = {-7, -8, -257};

// The unchanged results of navigator.credentials.create() and get().
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
  std::string public_key;  // in the format of libfido2
  int algorithm = 0;       // one of kPasskeyAlgorithms
  uint32_t counter = 0;    // 0: the authenticator has no counter
};

// Both fail with UNAUTHENTICATED if the response does not match the challenge
// and the site; the message is for the log.
absl::StatusOr<PasskeyKey> CheckPasskeyCreated(const PasskeySite& site,
                                               std::string_view challenge,
                                               const PasskeyCreated& created);
// Returns the new counter. The caller must check CounterMayFollow() in the
// transaction that stores it.
absl::StatusOr<uint32_t> CheckPasskeyAssertion(
    const PasskeySite& site, std::string_view challenge,
    const PasskeyAssertion& assertion, const PasskeyKey& key);

// Whether the new counter is valid (W3C WebAuthn, section 7.2, step 21).
constexpr bool CounterMayFollow(uint32_t before, uint32_t now) {
  return now > before || (now == 0 && before == 0);
}

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_FACTORS_PASSKEY_H_
