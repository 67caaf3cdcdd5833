#include <grpcpp/server_context.h>

#include <memory>
#include <string>
#include <utility>

#include "backend/audit/audit_log.h"
#include "backend/identity/directory.h"
#include "backend/identity/factors/factor_policy.h"
#include "backend/identity/factors/second_factor.h"
#include "backend/identity/factors/totp.h"
#include "backend/identity/login/pending_enrollments.h"
#include "backend/identity/users/user_store.h"
#include "backend/rpc/access/audit_event.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/convert/factor_proto.h"
#include "backend/rpc/convert/paging.h"
#include "backend/rpc/services/messages.h"
#include "backend/rpc/services/services.h"
#include "carme/v1/factors.grpc.pb.h"
#include "common/grpc/grpc_status.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/random.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// Converts an error for the caller: keeps messages about the request, hides
// those of the database.
absl::Status ForCaller(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kResourceExhausted:
      return status;
    case absl::StatusCode::kUnauthenticated:
      return MakeError(rpc_service_messages::kFactorChallengeMismatch);
    default:
      return MakeError(rpc_service_messages::kFactorStoreUnavailable);
  }
}

absl::Status NothingOffered() {
  return MakeError(rpc_service_messages::kFactorEnrollmentExpired);
}

class FactorService : public v1::FactorService::Service {
 public:
  explicit FactorService(FactorServiceParts parts) : parts_(std::move(parts)) {}

  grpc::Status ListFactors(grpc::ServerContext* context,
                           const v1::ListFactorsRequest* request,
                           v1::ListFactorsResponse* response) override {
    return ToGrpc(
        ForCaller(List(CallerOf(*context).session, *request, response)));
  }

  grpc::Status StartTotp(grpc::ServerContext* context,
                         const v1::StartTotpRequest* /*request*/,
                         v1::StartTotpResponse* response) override {
    const Session session = CallerOf(*context).session;
    const absl::Status allowed = CheckAllowed(session, v1::FACTOR_TOTP);
    if (!allowed.ok()) {
      return ToGrpc(Answer("add-factor", "totp", *context, allowed));
    }
    const std::string secret = NewTotpSecret();
    parts_.pending_enrollments->Put(session.id, CeremonyKind::kNewTotp, secret);
    *response->mutable_enrolment() = TotpEnrolmentOf(
        secret, OtpauthUri(secret, parts_.issuer, session.username));
    return grpc::Status::OK;
  }

  grpc::Status FinishTotp(grpc::ServerContext* context,
                          const v1::FinishTotpRequest* request,
                          v1::FinishTotpResponse* response) override {
    const Caller caller = CallerOf(*context);
    const absl::StatusOr<Enrollment> made = AddTotp(caller.session, *request);
    const absl::Status answer =
        Answer("add-factor", "totp", *context, made.status());
    if (!answer.ok()) return ToGrpc(answer);
    *response->mutable_factor() = ToProto(made->factor);
    return grpc::Status::OK;
  }

  grpc::Status StartPasskey(grpc::ServerContext* context,
                            const v1::StartPasskeyRequest* /*request*/,
                            v1::StartPasskeyResponse* response) override {
    const Session session = CallerOf(*context).session;
    const absl::Status offered = Offer(session, response->mutable_enrolment());
    if (offered.ok()) return grpc::Status::OK;
    return ToGrpc(Answer("add-factor", "passkey", *context, offered));
  }

  grpc::Status FinishPasskey(grpc::ServerContext* context,
                             const v1::FinishPasskeyRequest* request,
                             v1::FinishPasskeyResponse* response) override {
    const Caller caller = CallerOf(*context);
    const absl::StatusOr<Enrollment> made =
        AddPasskey(caller.session, request->passkey());
    const absl::Status answer =
        Answer("add-factor", "passkey", *context, made.status());
    if (!answer.ok()) return ToGrpc(answer);
    *response->mutable_factor() = ToProto(made->factor);
    return grpc::Status::OK;
  }

  grpc::Status RemoveFactor(grpc::ServerContext* context,
                            const v1::RemoveFactorRequest* request,
                            v1::RemoveFactorResponse* /*response*/) override {
    const Caller caller = CallerOf(*context);
    absl::Status removed = parts_.audit->Ready();
    if (removed.ok()) {
      removed = parts_.factors->Remove(caller.session.uid, request->id());
    }
    return ToGrpc(Answer("remove-factor", request->id(), *context, removed));
  }

  grpc::Status RenewRecoveryCodes(
      grpc::ServerContext* context,
      const v1::RenewRecoveryCodesRequest* /*request*/,
      v1::RenewRecoveryCodesResponse* response) override {
    const Caller caller = CallerOf(*context);
    const absl::Status ready = parts_.audit->Ready();
    const absl::StatusOr<std::vector<std::string>> codes =
        ready.ok() ? parts_.codes->Renew(caller.session.uid) : ready;
    const absl::Status answer =
        Answer("renew-recovery-codes", "", *context, codes.status());
    if (!answer.ok()) return ToGrpc(answer);
    for (const std::string& code : *codes) response->add_codes(code);
    return grpc::Status::OK;
  }

 private:
  // Records the audit entry of a change, and returns the response.
  absl::Status Answer(const char* act, const std::string& subject,
                      const grpc::ServerContext& context,
                      const absl::Status& status) const {
    AuditEvent event =
        Outcome(EventOf(context, CallerOf(context), act), status);
    event.subject = subject;
    RETURN_IF_ERROR(RecordChange(parts_.audit, event));
    return ForCaller(status);
  }

  absl::StatusOr<std::vector<v1::Factor>> AllowedFor(const Session& session) {
    if (parts_.policy->groups.empty()) return parts_.policy->allowed;
    ASSIGN_OR_RETURN(const Person person,
                     parts_.directory->LookUp(session.username));
    return AllowedFactors(*parts_.policy, person.groups);
  }

  absl::Status CheckAllowed(const Session& session, v1::Factor kind) {
    ASSIGN_OR_RETURN(const std::vector<v1::Factor> allowed,
                     AllowedFor(session));
    if (Allows(allowed, kind)) return absl::OkStatus();
    return MakeError(rpc_service_messages::kFactorKindNotAllowed);
  }

  absl::Status List(const Session& session,
                    const v1::ListFactorsRequest& request,
                    v1::ListFactorsResponse* response) {
    ASSIGN_OR_RETURN(std::vector<EnrolledFactor> factors,
                     parts_.factors->List(session.uid));
    ASSIGN_OR_RETURN(const std::string next,
                     CutPage(PageOf(request, kWholeList), &factors));
    response->set_next_page_token(next);
    ASSIGN_OR_RETURN(const int left, parts_.codes->CountUnused(session.uid));
    ASSIGN_OR_RETURN(const std::vector<v1::Factor> allowed,
                     AllowedFor(session));
    for (const EnrolledFactor& factor : factors) {
      *response->add_factors() = ToProto(factor);
    }
    response->set_recovery_codes_left(left);
    for (const v1::Factor kind : allowed) response->add_allowed(kind);
    return absl::OkStatus();
  }

  absl::StatusOr<Enrollment> AddTotp(const Session& session,
                                     const v1::FinishTotpRequest& request) {
    RETURN_IF_ERROR(parts_.audit->Ready());
    RETURN_IF_ERROR(CheckAllowed(session, v1::FACTOR_TOTP));
    // A mistyped code may be entered again.
    const auto secret =
        parts_.pending_enrollments->Find(session.id, CeremonyKind::kNewTotp);
    if (!secret) return NothingOffered();
    absl::StatusOr<Enrollment> made = parts_.second_factor->Enroll(
        session.uid, {.totp = request.totp()}, request.name(),
        {.totp_secret = *secret}, EnrollmentKind::kAdditional);
    if (made.ok())
      parts_.pending_enrollments->Take(session.id, CeremonyKind::kNewTotp);
    if (!absl::IsUnauthenticated(made.status())) return made;
    return MakeError(rpc_service_messages::kFactorCodeMismatch);
  }

  absl::Status Offer(const Session& session, v1::PasskeyEnrolment* enrolment) {
    RETURN_IF_ERROR(CheckAllowed(session, v1::FACTOR_PASSKEY));
    ASSIGN_OR_RETURN(const FactorOffer had,
                     parts_.second_factor->OfferOf(session.uid));
    ASSIGN_OR_RETURN(
        const std::string handle,
        parts_.users->UserHandle({.username = session.username,
                                  .display_name = session.display_name,
                                  .uid = session.uid,
                                  .role = session.role,
                                  .groups = {}}));
    const std::string challenge = RandomBytes(kPasskeyChallengeBytes);
    parts_.pending_enrollments->Put(session.id, CeremonyKind::kNewPasskey,
                                    challenge);
    *enrolment = PasskeyEnrolmentOf(
        parts_.second_factor->site(), challenge,
        {handle, session.username, session.display_name}, had.credential_ids);
    return absl::OkStatus();
  }

  absl::StatusOr<Enrollment> AddPasskey(const Session& session,
                                        const v1::PasskeyCreated& created) {
    RETURN_IF_ERROR(parts_.audit->Ready());
    RETURN_IF_ERROR(CheckAllowed(session, v1::FACTOR_PASSKEY));
    const auto challenge =
        parts_.pending_enrollments->Take(session.id, CeremonyKind::kNewPasskey);
    if (!challenge) return NothingOffered();
    return parts_.second_factor->Enroll(
        session.uid, {.new_passkey = FromProto(created)}, "",
        {.passkey_challenge = *challenge}, EnrollmentKind::kAdditional);
  }

  const FactorServiceParts parts_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewFactorService(FactorServiceParts parts) {
  return std::make_unique<FactorService>(std::move(parts));
}

}  // namespace carme::backend
