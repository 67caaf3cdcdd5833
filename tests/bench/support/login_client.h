// A frontend's view of log-ins: mutual TLS, password, code. Thread-safe.
#ifndef CARME_TESTS_BENCH_SUPPORT_LOGIN_CLIENT_H_
#define CARME_TESTS_BENCH_SUPPORT_LOGIN_CLIENT_H_

#include <memory>
#include <string>

namespace carme {

class LoginClient {
 public:
  // `pki` has ca.pem, frontend.pem and frontend.key.
  LoginClient(const std::string& address, const std::string& pki);
  ~LoginClient();

  // Password and second factor, which is enrolled when there is none: `secret`
  // keeps it for the next time. The session's token.
  std::string LogIn(const std::string& user, const std::string& password,
                    const std::string& address, std::string* secret);
  // Whether the password was looked at, and not turned away before.
  bool Guess(const std::string& user, const std::string& password,
             const std::string& address);
  // GetSession with this token.
  void Call(const std::string& token);
  // GetPasswordRules: what costs is the call.
  void CallForNothing(const std::string& token);

 private:
  struct Stub;
  std::unique_ptr<Stub> stub_;
};

}  // namespace carme

#endif  // CARME_TESTS_BENCH_SUPPORT_LOGIN_CLIENT_H_
