#include "tests/bench/support/login_client.h"

#include <liboath/oath.h>

#include "carme/v1/account.grpc.pb.h"
#include "carme/v1/auth.grpc.pb.h"
#include "common/encoding.h"
#include "tests/bench/support/frontend_channel.h"

namespace carme {
namespace {

std::string CodeOf(const std::string& base32) {
  const std::string secret = Base32Decode(base32).value();
  char code[16];
  oath_totp_generate(secret.data(), secret.size(), time(nullptr), 30, 0, 6,
                     code);
  return code;
}

v1::LoginRequest PasswordOf(const std::string& user,
                            const std::string& password) {
  v1::LoginRequest request;
  request.set_username(user);
  request.set_password(password);
  return request;
}

}  // namespace

struct LoginClient::Stub {
  std::unique_ptr<v1::AuthService::Stub> auth;
  std::unique_ptr<v1::AccountService::Stub> account;
};

LoginClient::LoginClient(const std::string& address, const std::string& pki)
    : stub_(std::make_unique<Stub>()) {
  const auto channel = NewFrontendChannel(address, pki);
  stub_->auth = v1::AuthService::NewStub(channel);
  stub_->account = v1::AccountService::NewStub(channel);
}

LoginClient::~LoginClient() = default;

std::string LoginClient::LogIn(const std::string& user,
                               const std::string& password,
                               const std::string& address,
                               std::string* secret) {
  v1::LoginResponse challenge;
  grpc::ClientContext first;
  first.AddMetadata("carme-client-address", address);
  CheckCall(stub_->auth->Login(&first, PasswordOf(user, password), &challenge),
            "Login");
  if (challenge.has_factor_first()) {
    v1::LoginRequest both = PasswordOf(user, password);
    both.set_totp(CodeOf(*secret));
    grpc::ClientContext again;
    again.AddMetadata("carme-client-address", address);
    CheckCall(stub_->auth->Login(&again, both, &challenge),
              "Login with a code");
  }
  if (secret->empty()) *secret = challenge.enrolment().secret();
  v1::VerifyFactorRequest factor;
  v1::VerifyFactorResponse session;
  factor.set_challenge(challenge.challenge());
  if (!challenge.factor_proved()) factor.set_totp(CodeOf(*secret));
  grpc::ClientContext second;
  second.AddMetadata("carme-client-address", address);
  CheckCall(stub_->auth->VerifyFactor(&second, factor, &session),
            "VerifyFactor");
  return session.session_token();
}

bool LoginClient::Guess(const std::string& user, const std::string& password,
                        const std::string& address) {
  v1::LoginResponse response;
  grpc::ClientContext context;
  context.AddMetadata("carme-client-address", address);
  const grpc::Status status =
      stub_->auth->Login(&context, PasswordOf(user, password), &response);
  if (status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED) return false;
  if (status.error_code() != grpc::StatusCode::UNAUTHENTICATED) {
    CheckCall(status, "a guess");
  }
  return !response.has_factor_first();
}

void LoginClient::Call(const std::string& token) {
  v1::GetSessionResponse response;
  grpc::ClientContext context;
  context.AddMetadata("carme-session", token);
  CheckCall(stub_->auth->GetSession(&context, {}, &response), "GetSession");
}

void LoginClient::CallForNothing(const std::string& token) {
  v1::GetPasswordRulesResponse response;
  grpc::ClientContext context;
  context.AddMetadata("carme-session", token);
  CheckCall(stub_->account->GetPasswordRules(&context, {}, &response),
            "GetPasswordRules");
}

}  // namespace carme
