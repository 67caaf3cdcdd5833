// Converts second factors, sessions and passkeys to and from messages.
#ifndef CARME_BACKEND_RPC_CONVERT_FACTOR_PROTO_H_
#define CARME_BACKEND_RPC_CONVERT_FACTOR_PROTO_H_

#include <string>
#include <string_view>
#include <vector>

#include "backend/identity/factors/factor.h"
#include "backend/identity/factors/second_factor.h"
#include "backend/identity/session.h"
#include "carme/v1/auth.pb.h"
#include "carme/v1/factors.pb.h"

namespace carme::backend {

v1::EnrolledFactor ToProto(const EnrolledFactor& factor);
v1::Session ToProto(const Session& session, absl::Duration idle_timeout);

// `secret` is raw bytes, not base32.
v1::TotpEnrolment TotpEnrolmentOf(std::string_view secret,
                                  const std::string& otpauth_uri);
// The user that a new passkey belongs to.
struct PasskeyOwner {
  std::string handle;
  std::string username;
  std::string display_name;
};
v1::PasskeyEnrolment PasskeyEnrolmentOf(
    const PasskeySite& site, const std::string& challenge,
    const PasskeyOwner& owner, const std::vector<std::string>& exclude);
v1::PasskeyRequest PasskeyRequestOf(
    const PasskeySite& site, const std::string& challenge,
    const std::vector<std::string>& credential_ids);

PasskeyCreated FromProto(const v1::PasskeyCreated& created);
FactorAnswer AnswerOf(const v1::LoginRequest& request);
FactorAnswer AnswerOf(const v1::VerifyFactorRequest& request);
FactorAnswer AnswerOf(const v1::FinishReauthenticationRequest& request);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_CONVERT_FACTOR_PROTO_H_
