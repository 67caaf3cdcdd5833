// The envelope around a new WebAuthn credential (W3C Web Authentication
// Level 2, section 6.5.4), in CBOR.
#ifndef CARME_BACKEND_IDENTITY_ATTESTATION_OBJECT_H_
#define CARME_BACKEND_IDENTITY_ATTESTATION_OBJECT_H_

#include <string_view>

#include "absl/status/statusor.h"

namespace carme::backend {

inline constexpr size_t kMostAttestationBytes = 16 * 1024;

// The authenticator data in it, a part of `object`. The attestation statement
// is stepped over: carme asks for none, and believes none.
// UNAUTHENTICATED: not one map of "fmt", "attStmt" and "authData", each once;
// an indefinite length, nesting beyond eight, or bytes that are left over.
absl::StatusOr<std::string_view> AuthenticatorDataOf(std::string_view object);

// Whether the bytes are whole CBOR items, one or more, each of a definite
// length that is there, nested eight deep at most. A parser that makes room for
// as many items as an array claims is given nothing else.
bool IsPlainCbor(std::string_view bytes);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_ATTESTATION_OBJECT_H_
