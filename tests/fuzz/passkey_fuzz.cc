// What a browser sends of a passkey: untrusted bytes, read before
// authentication. No input solves a challenge.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "backend/identity/factors/attestation_object.h"
#include "backend/identity/factors/client_data.h"
#include "backend/identity/factors/passkey.h"

namespace carme::backend {
namespace {

void Check(bool holds) {
  if (!holds) std::abort();
}

const PasskeySite& Site() {
  static const PasskeySite site = PasskeySiteOf("https://portal.test", "Carme");
  return site;
}

// The challenge of the corpus: 32 times 'c'.
const std::string& Challenge() {
  static const std::string challenge(kPasskeyChallengeBytes, 'c');
  return challenge;
}

std::string GoodClientData(const char* type) {
  return std::string("{\"type\":\"") + type +
         "\",\"challenge\":\"Y2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2M\","
         "\"origin\":\"https://portal.test\"}";
}

void FuzzAttestation(const std::string& bytes) {
  const auto data = AuthenticatorDataOf(bytes);
  if (data.ok()) {
    Check(data->data() >= bytes.data() &&
          data->data() + data->size() <= bytes.data() + bytes.size());
  }
  const auto key = CheckPasskeyCreated(
      Site(), Challenge(), {GoodClientData("webauthn.create"), bytes, "name"});
  if (!key.ok()) return;
  Check(!key->credential_id.empty() && key->credential_id.size() <= 1023);
  // Nothing is signed.
  for (const std::string& answer : {bytes.substr(0, 37), std::string(*data)}) {
    Check(
        !CheckPasskeyAssertion(Site(), Challenge(),
                               {key->credential_id,
                                GoodClientData("webauthn.get"), answer, bytes},
                               *key)
             .ok());
  }
}

void FuzzClientData(const std::string& bytes) {
  const bool good =
      CheckClientData(bytes, {"webauthn.get", Challenge(), Site().origin}).ok();
  Check(!good || bytes.size() <= kMaxClientDataBytes);
  Check(!CheckClientData(bytes, {"webauthn.get", "", Site().origin}).ok());
}

}  // namespace
}  // namespace carme::backend

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  carme::backend::FuzzAttestation(bytes);
  carme::backend::FuzzClientData(bytes);
  return 0;
}
