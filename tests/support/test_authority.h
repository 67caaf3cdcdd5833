// A certificate authority of a test's own, made with openssl(1).
#ifndef CARME_TESTS_SUPPORT_TEST_AUTHORITY_H_
#define CARME_TESTS_SUPPORT_TEST_AUTHORITY_H_

#include <string>

#include "tests/support/temp_dir.h"

namespace carme {

struct IssuedCertificate {
  std::string certificate_file;
  std::string key_file;
};

// Throws when openssl fails: the test cannot go on.
class TestAuthority {
 public:
  TestAuthority();
  std::string ca_file() const { return dir_.File("ca.pem"); }
  // `names` as openssl writes subjectAltName: "DNS:carme-proxy,IP:127.0.0.1".
  // Empty: a certificate without alternative names.
  IssuedCertificate Issue(const std::string& common_name,
                          const std::string& names);
  // PEM, with all that were ever given here.
  std::string Revoke(const IssuedCertificate& issued);

 private:
  void Run(const std::string& command) const;
  TempDir dir_;
  int issued_ = 0;
};

}  // namespace carme

#endif  // CARME_TESTS_SUPPORT_TEST_AUTHORITY_H_
