#include "tests/bench/login_client.h"

#include <grpcpp/grpcpp.h>
#include <liboath/oath.h>

#include <cstdio>
#include <cstdlib>

#include "carme/v1/account.grpc.pb.h"
#include "carme/v1/auth.grpc.pb.h"
#include "common/encoding.h"
#include "common/file.h"

namespace carme {
namespace {

void Check(const grpc::Status& status, const char* what) {
  if (status.ok()) return;
  std::fprintf(stderr, "login_client: %s: %d %s\n", what, status.error_code(),
               status.error_message().c_str());
  std::exit(1);
}

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
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = ReadFile(pki + "/ca.pem").value();
  options.pem_cert_chain = ReadFile(pki + "/frontend.pem").value();
  options.pem_private_key = ReadFile(pki + "/frontend.key").value();
  grpc::ChannelArguments arguments;
  arguments.SetSslTargetNameOverride("carme-backend");
  const auto channel = grpc::CreateCustomChannel(
      address, grpc::SslCredentials(options), arguments);
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
  Check(stub_->auth->Login(&first, PasswordOf(user, password), &challenge),
        "Login");
  if (challenge.has_factor_first()) {
    v1::LoginRequest both = PasswordOf(user, password);
    both.set_totp(CodeOf(*secret));
    grpc::ClientContext again;
    again.AddMetadata("carme-client-address", address);
    Check(stub_->auth->Login(&again, both, &challenge), "Login with a code");
  }
  if (secret->empty()) *secret = challenge.enrolment().secret();
  v1::VerifyFactorRequest factor;
  v1::VerifyFactorResponse session;
  factor.set_challenge(challenge.challenge());
  if (!challenge.factor_proved()) factor.set_totp(CodeOf(*secret));
  grpc::ClientContext second;
  second.AddMetadata("carme-client-address", address);
  Check(stub_->auth->VerifyFactor(&second, factor, &session), "VerifyFactor");
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
    Check(status, "a guess");
  }
  return !response.has_factor_first();
}

void LoginClient::Call(const std::string& token) {
  v1::GetSessionResponse response;
  grpc::ClientContext context;
  context.AddMetadata("carme-session", token);
  Check(stub_->auth->GetSession(&context, {}, &response), "GetSession");
}

void LoginClient::CallForNothing(const std::string& token) {
  v1::GetPasswordRulesResponse response;
  grpc::ClientContext context;
  context.AddMetadata("carme-session", token);
  Check(stub_->account->GetPasswordRules(&context, {}, &response),
        "GetPasswordRules");
}

}  // namespace carme
