#include <grpcpp/server_context.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/audit/audit_log.h"
#include "backend/identity/directory.h"
#include "backend/identity/login/login_throttle.h"
#include "backend/identity/session/access_tokens.h"
#include "backend/identity/session/session_store.h"
#include "backend/identity/session/token_authenticator.h"
#include "backend/identity/session/token_scopes.h"
#include "backend/rpc/access/audit_event.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/convert/account_proto.h"
#include "backend/rpc/convert/paging.h"
#include "backend/rpc/services/messages.h"
#include "backend/rpc/services/services.h"
#include "carme/v1/account.grpc.pb.h"
#include "common/grpc/grpc_status.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxPasswordBytes = 1024;

absl::Status CheckPasswords(const v1::ChangePasswordRequest& request) {
  for (const std::string* password :
       {&request.old_password(), &request.new_password()}) {
    if (password->empty() || password->size() > kMaxPasswordBytes) {
      return MakeError(
          rpc_service_messages::kAccountPasswordLength,
          {{"bytes", password->size()}, {"max", kMaxPasswordBytes}});
    }
  }
  return absl::OkStatus();
}

class AccountService : public v1::AccountService::Service {
 public:
  explicit AccountService(const AccountServiceParts& parts) : parts_(parts) {}

  grpc::Status ListSessions(grpc::ServerContext* context,
                            const v1::ListSessionsRequest* request,
                            v1::ListSessionsResponse* response) override {
    const Caller caller = CallerOf(*context);
    std::vector<SessionUse> sessions = parts_.sessions->Of(caller.session.uid);
    const absl::StatusOr<std::string> next =
        CutPage(PageOf(*request, kWholeList), &sessions);
    if (!next.ok()) return ToGrpc(next.status());
    response->set_next_page_token(*next);
    for (const SessionUse& use : sessions) {
      Fill(use, caller.session.id, response->add_sessions());
    }
    return grpc::Status::OK;
  }

  grpc::Status EndSession(grpc::ServerContext* context,
                          const v1::EndSessionRequest* request,
                          v1::EndSessionResponse* /*response*/) override {
    const Caller caller = CallerOf(*context);
    const absl::Status ended = End(caller, SessionId(request->id()));
    return AnswerEnd(*context, caller, "end-session", request->id(), ended);
  }

  grpc::Status EndOtherSessions(
      grpc::ServerContext* context,
      const v1::EndOtherSessionsRequest* /*request*/,
      v1::EndOtherSessionsResponse* response) override {
    const Caller caller = CallerOf(*context);
    response->set_ended(
        parts_.sessions->EndAllOf(caller.session.uid, caller.session.id));
    // Otherwise a loop of such requests would fill the audit log.
    if (response->ended() == 0) return grpc::Status::OK;
    return AnswerEnd(*context, caller, "end-other-sessions",
                     absl::StrCat(response->ended(), " sessions"),
                     absl::OkStatus());
  }

  grpc::Status ListTokens(grpc::ServerContext* context,
                          const v1::ListTokensRequest* request,
                          v1::ListTokensResponse* response) override {
    const Caller caller = CallerOf(*context);
    std::vector<AccessToken> tokens = parts_.tokens->Of(caller.session.uid);
    const absl::StatusOr<std::string> next =
        CutPage(PageOf(*request, kWholeList), &tokens);
    if (!next.ok()) return ToGrpc(next.status());
    response->set_next_page_token(*next);
    for (const AccessToken& token : tokens) {
      Fill(token, response->add_tokens());
    }
    for (const TokenScope& scope : kTokenScopes) {
      if (!MayGive(caller.session.role, scope)) continue;
      v1::TokenScope* row = response->add_scopes();
      row->set_scope(std::string(scope.word));
      row->set_text(std::string(scope.text));
    }
    response->set_max_days(parts_.tokens->config().max_days);
    return grpc::Status::OK;
  }

  grpc::Status CreateToken(grpc::ServerContext* context,
                           const v1::CreateTokenRequest* request,
                           v1::CreateTokenResponse* response) override {
    const Caller caller = CallerOf(*context);
    const absl::Status made = Create(caller, *request, response);
    return Answer(*context, caller, "create-token",
                  made.ok() ? absl::StrCat(response->token().id(), " ",
                                           response->token().name())
                            : "",
                  made);
  }

  grpc::Status RevokeToken(grpc::ServerContext* context,
                           const v1::RevokeTokenRequest* request,
                           v1::RevokeTokenResponse* /*response*/) override {
    const Caller caller = CallerOf(*context);
    absl::Status revoked =
        parts_.tokens->Revoke(caller.session.uid, request->id());
    // The token is revoked in any case; the database is updated later.
    if (!absl::IsNotFound(revoked)) revoked = absl::OkStatus();
    return AnswerEnd(*context, caller, "revoke-token", request->id(), revoked);
  }

  grpc::Status ChangePassword(
      grpc::ServerContext* context, const v1::ChangePasswordRequest* request,
      v1::ChangePasswordResponse* /*response*/) override {
    const Caller caller = CallerOf(*context);
    const absl::Status changed = Change(caller, *request);
    if (changed.ok()) {
      parts_.sessions->EndAllOf(caller.session.uid, caller.session.id);
    }
    return Answer(*context, caller, "change-password", caller.session.username,
                  changed);
  }

  grpc::Status GetPasswordRules(
      grpc::ServerContext* /*context*/,
      const v1::GetPasswordRulesRequest* /*request*/,
      v1::GetPasswordRulesResponse* response) override {
    response->set_changeable(parts_.directory->ChangesPasswords());
    for (std::string& rule : parts_.directory->PasswordRules()) {
      response->add_rules(std::move(rule));
    }
    return grpc::Status::OK;
  }

 private:
  absl::Status End(const Caller& caller, const SessionId& id) {
    const std::vector<SessionUse> own = parts_.sessions->Of(caller.session.uid);
    const bool is_own = std::any_of(
        own.begin(), own.end(),
        [&](const SessionUse& use) { return use.session.id == id; });
    if (!is_own)
      return MakeError(rpc_service_messages::kAccountSessionNotFound);
    // The session has ended in any case; the database is updated later.
    parts_.sessions->End(id).IgnoreError();
    return absl::OkStatus();
  }

  absl::Status Create(const Caller& caller,
                      const v1::CreateTokenRequest& request,
                      v1::CreateTokenResponse* response) {
    RETURN_IF_ERROR(parts_.audit->Ready());
    if (!request.has_expires_at()) {
      return MakeError(rpc_service_messages::kAccessTokenExpiryRequired);
    }
    // Fills the directory cache before the first use of the token.
    RETURN_IF_ERROR(parts_.credentials->Recheck(caller.session.uid,
                                                caller.session.username));
    const absl::StatusOr<NewAccessToken> made = parts_.tokens->Create(
        caller.session, request.name(),
        {request.scopes().begin(), request.scopes().end()},
        absl::FromUnixSeconds(request.expires_at().seconds()),
        {request.addresses().begin(), request.addresses().end()});
    if (!made.ok()) return made.status();
    Fill(made->token, response->mutable_token());
    response->set_secret(made->secret);
    return absl::OkStatus();
  }

  // The old password is throttled like one of a log-in, although the call
  // requires a session and reauthentication.
  absl::Status Change(const Caller& caller,
                      const v1::ChangePasswordRequest& request) {
    if (!parts_.directory->ChangesPasswords()) {
      return MakeError(rpc_service_messages::kAccountPasswordChangeNotOffered);
    }
    RETURN_IF_ERROR(CheckPasswords(request));
    RETURN_IF_ERROR(parts_.audit->Ready());
    const std::string& username = caller.session.username;
    RETURN_IF_ERROR(parts_.throttle->Try(username, caller.client_address));
    const absl::Status changed = parts_.directory->ChangePassword(
        username, request.old_password(), request.new_password());
    if (absl::IsUnauthenticated(changed)) {
      return MakeError(rpc_service_messages::kAccountOldPasswordWrong);
    }
    parts_.throttle->Refund(username, caller.client_address);
    if (changed.ok() || absl::IsInvalidArgument(changed) ||
        absl::IsFailedPrecondition(changed)) {
      return changed;  // the message is for the user
    }
    LogWarning("changing a password failed", {{"request", caller.request_id},
                                              {"user", username},
                                              {"error", StatusText(changed)}});
    return MakeError(rpc_service_messages::kAccountPasswordChangeUncertain);
  }

  static AuditEvent Entry(const grpc::ServerContext& context,
                          const Caller& caller, const char* act,
                          const std::string& subject,
                          const absl::Status& status) {
    AuditEvent event = Outcome(EventOf(context, caller, act), status);
    event.subject = subject;
    return event;
  }

  // Records one audit entry. Every status here is for the caller. A successful
  // response is sent only after the entry is on disk…
  grpc::Status Answer(const grpc::ServerContext& context, const Caller& caller,
                      const char* act, const std::string& subject,
                      const absl::Status& status) {
    const absl::Status noted = RecordChange(
        parts_.audit, Entry(context, caller, act, subject, status));
    return ToGrpc(noted.ok() ? status : noted);
  }

  // …but an ended session or token stays ended in any case.
  grpc::Status AnswerEnd(const grpc::ServerContext& context,
                         const Caller& caller, const char* act,
                         const std::string& subject,
                         const absl::Status& status) {
    RecordChange(parts_.audit, Entry(context, caller, act, subject, status))
        .IgnoreError();
    return ToGrpc(status);
  }

  const AccountServiceParts parts_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewAccountService(
    const AccountServiceParts& parts) {
  return std::make_unique<AccountService>(parts);
}

}  // namespace carme::backend
