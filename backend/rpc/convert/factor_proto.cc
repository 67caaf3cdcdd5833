#include "backend/rpc/convert/factor_proto.h"

#include <google/protobuf/util/time_util.h>

#include "absl/time/time.h"
#include "backend/identity/role_proto.h"
#include "common/encoding.h"

namespace carme::backend {
namespace {

google::protobuf::Timestamp Stamp(absl::Time time) {
  return google::protobuf::util::TimeUtil::MicrosecondsToTimestamp(
      absl::ToUnixMicros(time));
}

PasskeyAssertion FromProto(const v1::PasskeyAssertion& assertion) {
  return {.credential_id = assertion.credential_id(),
          .client_data_json = assertion.client_data_json(),
          .authenticator_data = assertion.authenticator_data(),
          .signature = assertion.signature()};
}

// The enrolled factors; a pending enrollment does not count.
template <typename Request>
FactorAnswer AnswerWithin(const Request& request) {
  FactorAnswer answer{.totp = request.totp(),
                      .recovery_code = request.recovery_code()};
  if (request.has_passkey()) answer.passkey = FromProto(request.passkey());
  return answer;
}

}  // namespace

v1::EnrolledFactor ToProto(const EnrolledFactor& factor) {
  v1::EnrolledFactor proto;
  proto.set_id(factor.id);
  proto.set_kind(factor.kind);
  proto.set_name(factor.name);
  *proto.mutable_created_at() = Stamp(factor.created_at);
  if (factor.used_at) *proto.mutable_used_at() = Stamp(*factor.used_at);
  return proto;
}

v1::Session ToProto(const Session& session, absl::Duration idle_timeout) {
  v1::Session proto;
  proto.set_username(session.username);
  proto.set_display_name(session.display_name);
  proto.set_role(ToProto(session.role));
  *proto.mutable_created_at() = Stamp(session.created_at);
  *proto.mutable_expires_at() = Stamp(session.expires_at);
  proto.set_idle_timeout_s(absl::ToInt64Seconds(idle_timeout));
  proto.set_id(session.id.value());
  if (session.reauthenticated_until > absl::UnixEpoch()) {
    *proto.mutable_reauthenticated_until() =
        Stamp(session.reauthenticated_until);
  }
  for (const std::string& scope : session.scopes) proto.add_scopes(scope);
  return proto;
}

v1::TotpEnrolment TotpEnrolmentOf(std::string_view secret,
                                  const std::string& otpauth_uri) {
  v1::TotpEnrolment proto;
  proto.set_secret(Base32Encode(secret));
  proto.set_otpauth_uri(otpauth_uri);
  return proto;
}

v1::PasskeyEnrolment PasskeyEnrolmentOf(
    const PasskeySite& site, const std::string& challenge,
    const PasskeyOwner& owner, const std::vector<std::string>& exclude) {
  v1::PasskeyEnrolment proto;
  proto.set_challenge(challenge);
  proto.set_rp_id(site.rp_id);
  proto.set_rp_name(site.name);
  proto.set_user_handle(owner.handle);
  proto.set_user_name(owner.username);
  proto.set_user_display_name(owner.display_name);
  for (const std::string& id : exclude) proto.add_exclude(id);
  for (const int algorithm : kPasskeyAlgorithms) {
    proto.add_algorithms(algorithm);
  }
  return proto;
}

v1::PasskeyRequest PasskeyRequestOf(
    const PasskeySite& site, const std::string& challenge,
    const std::vector<std::string>& credential_ids) {
  v1::PasskeyRequest proto;
  proto.set_challenge(challenge);
  proto.set_rp_id(site.rp_id);
  for (const std::string& id : credential_ids) proto.add_credential_ids(id);
  return proto;
}

PasskeyCreated FromProto(const v1::PasskeyCreated& created) {
  return {.client_data_json = created.client_data_json(),
          .attestation_object = created.attestation_object(),
          .name = created.name()};
}

FactorAnswer AnswerOf(const v1::VerifyFactorRequest& request) {
  FactorAnswer answer{.totp = request.totp(),
                      .recovery_code = request.recovery_code()};
  if (request.has_passkey()) answer.passkey = FromProto(request.passkey());
  if (request.has_new_passkey()) {
    answer.new_passkey = FromProto(request.new_passkey());
  }
  return answer;
}

FactorAnswer AnswerOf(const v1::FinishReauthenticationRequest& request) {
  return AnswerWithin(request);
}

FactorAnswer AnswerOf(const v1::LoginRequest& request) {
  return AnswerWithin(request);
}

}  // namespace carme::backend
