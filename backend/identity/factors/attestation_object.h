// The attestation object of a new WebAuthn credential (W3C Web Authentication
// Level 2, section 6.5.4), in CBOR. Own code because libfido2 parses
// attestation objects only since 1.15 and Debian 12 has 1.12.
#ifndef CARME_BACKEND_IDENTITY_FACTORS_ATTESTATION_OBJECT_H_
#define CARME_BACKEND_IDENTITY_FACTORS_ATTESTATION_OBJECT_H_

#include <string_view>

#include "absl/status/statusor.h"

namespace carme::backend {

inline constexpr size_t kMaxAttestationBytes = 16 * 1024;

// The authenticator data, a part of `object`. The attestation statement is
// skipped: Carme requests none and trusts none. UNAUTHENTICATED: not one map of
// "fmt", "attStmt" and "authData", each once; an indefinite length, nesting
// deeper than eight, or trailing bytes.
absl::StatusOr<std::string_view> AuthenticatorDataOf(std::string_view object);

// Whether the bytes are one or more complete CBOR items of definite length,
// nested at most eight deep. Check this before a parser that allocates memory
// for the number of items that an array declares.
bool IsPlainCbor(std::string_view bytes);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_FACTORS_ATTESTATION_OBJECT_H_
