// A passkey without hardware: makes a key with OpenSSL and answers as a browser
// and its authenticator would. Every part can be bent, for refusals.
#ifndef CARME_TESTS_SUPPORT_SOFTWARE_AUTHENTICATOR_H_
#define CARME_TESTS_SUPPORT_SOFTWARE_AUTHENTICATOR_H_

#include <openssl/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "backend/identity/factors/passkey.h"

namespace carme {

class SoftwareAuthenticator {
 public:
  // `algorithm` is COSE: -7, -8 or -257.
  SoftwareAuthenticator(int algorithm, const backend::PasskeySite& site);
  ~SoftwareAuthenticator();

  backend::PasskeyCreated Create(const std::string& challenge);
  // Counts up first.
  backend::PasskeyAssertion Answer(const std::string& challenge);

  // What it reports about itself.
  std::string origin;
  std::string rp_id;
  std::string credential_id = "a credential id";
  std::string create_type = "webauthn.create";
  std::string get_type = "webauthn.get";
  std::string more_client_data;  // ",\"crossOrigin\":true"
  std::string fmt = "none";
  uint8_t flags = 0x05;    // user present, user verified
  std::string extensions;  // CBOR
  uint32_t counter = 0;
  bool counts = true;

 private:
  std::string ClientData(const std::string& type, const std::string& challenge);
  std::string AuthenticatorData(uint8_t more_flags) const;
  std::string CoseKey() const;
  std::string Sign(const std::string& message) const;

  const int algorithm_;
  EVP_PKEY* key_;
};

}  // namespace carme

#endif  // CARME_TESTS_SUPPORT_SOFTWARE_AUTHENTICATOR_H_
