// A certificate authority for tests, in memory.
#ifndef CARME_TESTS_COMMON_NET_TEST_CA_H_
#define CARME_TESTS_COMMON_NET_TEST_CA_H_

#include <memory>
#include <string>
#include <vector>

struct evp_pkey_st;
struct x509_st;

namespace carme::testing {

struct TestIdentity {
  std::string certificate_pem;
  std::string key_pem;
};

// P-256, valid for an hour. Aborts when OpenSSL fails.
class TestCa {
 public:
  explicit TestCa(const std::string& name);
  // For servers and clients alike.
  TestIdentity Issue(const std::vector<std::string>& dns_names) const;
  // With alternative names as openssl writes them: "URI:carme://proxy/dmz".
  TestIdentity IssueNames(const std::string& names) const;
  // Of these serials, hexadecimal; to be replaced after `life_s` seconds.
  std::string RevocationList(const std::vector<std::string>& serials,
                             long life_s = 3600) const;
  // DER: that the certificate is good, or revoked, from a minute ago until
  // `life_s` from now.
  std::string OcspResponse(const std::string& certificate_pem, bool good = true,
                           long life_s = 3600) const;
  const std::string& certificate_pem() const { return certificate_pem_; }

 private:
  TestIdentity Make(const std::string& subject, const std::string& names) const;
  std::shared_ptr<evp_pkey_st> key_;
  std::shared_ptr<x509_st> certificate_;
  std::string certificate_pem_;
};

}  // namespace carme::testing

#endif  // CARME_TESTS_COMMON_NET_TEST_CA_H_
