#include "backend/identity/factors/passkey.h"

#include <fido.h>
#include <fido/eddsa.h>
#include <fido/es256.h>
#include <fido/rs256.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "backend/identity/factors/attestation_object.h"
#include "backend/identity/factors/client_data.h"
#include "backend/identity/factors/messages.h"
#include "common/crypto/hash.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// W3C Web Authentication Level 2, section 6.1: hash, flags, counter.
constexpr size_t kHashBytes = 32;
constexpr size_t kMinAuthenticatorData = 37;
constexpr size_t kMaxAuthenticatorData = 8 * 1024;
constexpr uint8_t kUserPresent = 0x01;
constexpr uint8_t kHasCredential = 0x40;
constexpr uint8_t kHasExtensions = 0x80;
// Section 6.5.1: followed by the model and the length of the id.
constexpr size_t kModelBytes = 16;
constexpr size_t kLengthBytes = 2;
constexpr size_t kMaxCredentialId = 1023;
constexpr size_t kMaxSignature = 1024;

absl::Status InvalidPasskey(const std::string& cause) {
  return MakeError(factor_messages::kPasskeyInvalid, {{"cause", cause}});
}

const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

template <typename T, void (*Free)(T**)>
struct Freer {
  void operator()(T* object) const { Free(&object); }
};
using Credential =
    std::unique_ptr<fido_cred_t, Freer<fido_cred_t, fido_cred_free>>;
using Assertion =
    std::unique_ptr<fido_assert_t, Freer<fido_assert_t, fido_assert_free>>;
// A public key of any supported algorithm.
using PublicKey = std::shared_ptr<const void>;

template <typename Key>
PublicKey ReadKey(Key* key, void (*free)(Key**),
                  int (*read)(Key*, const void*, size_t),
                  std::string_view bytes) {
  std::shared_ptr<Key> owned(key, [free](Key* last) { free(&last); });
  if (key == nullptr || read(key, bytes.data(), bytes.size()) != FIDO_OK) {
    return nullptr;
  }
  return owned;
}

// Null: not a valid key of this algorithm.
PublicKey PublicKeyOf(const PasskeyKey& key) {
  switch (key.algorithm) {
    case COSE_ES256:
      return ReadKey(es256_pk_new(), es256_pk_free, es256_pk_from_ptr,
                     key.public_key);
    case COSE_EDDSA:
      return ReadKey(eddsa_pk_new(), eddsa_pk_free, eddsa_pk_from_ptr,
                     key.public_key);
    case COSE_RS256:
      return ReadKey(rs256_pk_new(), rs256_pk_free, rs256_pk_from_ptr,
                     key.public_key);
    default:
      return nullptr;
  }
}

absl::Status CheckAuthenticatorData(const PasskeySite& site,
                                    std::string_view data, uint8_t flags) {
  if (data.size() < kMinAuthenticatorData ||
      data.size() > kMaxAuthenticatorData) {
    return InvalidPasskey(
        FormatMessage(factor_messages::kDataSize, {{"bytes", data.size()}}));
  }
  if (data.substr(0, kHashBytes) != Sha256(site.rp_id)) {
    return InvalidPasskey(FormatMessage(factor_messages::kOtherHost));
  }
  const auto found = static_cast<uint8_t>(data[kHashBytes]);
  if ((found & flags) == flags) return absl::OkStatus();
  return InvalidPasskey(
      FormatMessage(factor_messages::kFlagsMissing,
                    {{"found", absl::StrCat(absl::Hex(found))},
                     {"expected", absl::StrCat(absl::Hex(flags))}}));
}

// The key and the extensions, which are CBOR. libcbor allocates the size that
// an array declares, so five bytes could allocate gigabytes.
absl::Status CheckCbor(std::string_view data, size_t at) {
  if (at < data.size() && IsPlainCbor(data.substr(at))) {
    return absl::OkStatus();
  }
  return InvalidPasskey(FormatMessage(factor_messages::kCbor));
}

// Where the key begins, after the credential id.
size_t KeyOffset(std::string_view data) {
  const size_t at = kMinAuthenticatorData + kModelBytes;
  if (data.size() < at + kLengthBytes) return data.size();
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(data[i]); };
  return at + kLengthBytes + (size_t{byte(at)} << 8 | byte(at + 1));
}

// Null: not of this algorithm, or broken.
Credential ParseCredential(std::string_view data, int algorithm) {
  Credential credential(fido_cred_new());
  if (credential == nullptr ||
      fido_cred_set_type(credential.get(), algorithm) != FIDO_OK ||
      fido_cred_set_authdata_raw(credential.get(), Bytes(data), data.size()) !=
          FIDO_OK) {
    return nullptr;
  }
  return credential;
}

std::string Copy(const unsigned char* bytes, size_t length) {
  return bytes == nullptr
             ? std::string()
             : std::string(reinterpret_cast<const char*>(bytes), length);
}

absl::StatusOr<PasskeyKey> ReadCredential(std::string_view data) {
  for (const int algorithm : kPasskeyAlgorithms) {
    const Credential parsed = ParseCredential(data, algorithm);
    if (parsed == nullptr) continue;
    const fido_cred_t* credential = parsed.get();
    PasskeyKey key{.credential_id = Copy(fido_cred_id_ptr(credential),
                                         fido_cred_id_len(credential)),
                   .public_key = Copy(fido_cred_pubkey_ptr(credential),
                                      fido_cred_pubkey_len(credential)),
                   .algorithm = algorithm,
                   .counter = fido_cred_sigcount(credential)};
    if (key.credential_id.empty() ||
        key.credential_id.size() > kMaxCredentialId) {
      return InvalidPasskey(
          FormatMessage(factor_messages::kCredentialIdLength));
    }
    if (PublicKeyOf(key) == nullptr) {
      return InvalidPasskey(FormatMessage(factor_messages::kPublicKey));
    }
    return key;
  }
  return InvalidPasskey(FormatMessage(factor_messages::kAlgorithm));
}

absl::Status VerifySignature(const PasskeySite& site,
                             const PasskeyAssertion& answer,
                             const PasskeyKey& key, uint32_t* counter) {
  const PublicKey public_key = PublicKeyOf(key);
  const Assertion owned(fido_assert_new());
  if (public_key == nullptr || owned == nullptr) {
    return InvalidPasskey(FormatMessage(factor_messages::kNoKey));
  }
  fido_assert_t* assertion = owned.get();
  const std::string& data = answer.authenticator_data;
  const std::string& client = answer.client_data_json;
  for (const int result :
       {fido_assert_set_rp(assertion, site.rp_id.c_str()),
        fido_assert_set_clientdata(assertion, Bytes(client), client.size()),
        fido_assert_set_up(assertion, FIDO_OPT_TRUE),
        fido_assert_set_count(assertion, 1),
        fido_assert_set_authdata_raw(assertion, 0, Bytes(data), data.size()),
        fido_assert_set_sig(assertion, 0, Bytes(answer.signature),
                            answer.signature.size())}) {
    if (result != FIDO_OK) {
      return InvalidPasskey(FormatMessage(factor_messages::kAnswerBroken,
                                          {{"error", fido_strerr(result)}}));
    }
  }
  const int verified =
      fido_assert_verify(assertion, 0, key.algorithm, public_key.get());
  if (verified != FIDO_OK) {
    return InvalidPasskey(FormatMessage(factor_messages::kSignatureWrong,
                                        {{"error", fido_strerr(verified)}}));
  }
  *counter = fido_assert_sigcount(assertion, 0);
  return absl::OkStatus();
}

}  // namespace

PasskeySite PasskeySiteOf(std::string_view portal_url, std::string_view name) {
  absl::string_view origin(portal_url.data(), portal_url.size());
  origin = absl::StripSuffix(origin, "/");
  origin = absl::StripSuffix(origin, ":443");  // browsers leave it out
  absl::string_view host = absl::StripPrefix(origin, "https://");
  return {.origin = std::string(origin),
          .rp_id = std::string(host.substr(0, host.find(':'))),
          .name = std::string(name)};
}

absl::StatusOr<PasskeyKey> CheckPasskeyCreated(const PasskeySite& site,
                                               std::string_view challenge,
                                               const PasskeyCreated& created) {
  RETURN_IF_ERROR(CheckClientData(created.client_data_json,
                                  {"webauthn.create", challenge, site.origin}));
  ASSIGN_OR_RETURN(const std::string_view data,
                   AuthenticatorDataOf(created.attestation_object));
  RETURN_IF_ERROR(
      CheckAuthenticatorData(site, data, kUserPresent | kHasCredential));
  RETURN_IF_ERROR(CheckCbor(data, KeyOffset(data)));
  return ReadCredential(data);
}

absl::StatusOr<uint32_t> CheckPasskeyAssertion(
    const PasskeySite& site, std::string_view challenge,
    const PasskeyAssertion& assertion, const PasskeyKey& key) {
  RETURN_IF_ERROR(CheckClientData(assertion.client_data_json,
                                  {"webauthn.get", challenge, site.origin}));
  const std::string& data = assertion.authenticator_data;
  RETURN_IF_ERROR(CheckAuthenticatorData(site, data, kUserPresent));
  if ((static_cast<uint8_t>(data[kHashBytes]) & kHasExtensions) != 0) {
    RETURN_IF_ERROR(CheckCbor(data, kMinAuthenticatorData));
  }
  if (assertion.signature.empty() ||
      assertion.signature.size() > kMaxSignature ||
      assertion.credential_id != key.credential_id) {
    return InvalidPasskey(FormatMessage(factor_messages::kSignatureInvalid));
  }
  uint32_t counter = 0;
  RETURN_IF_ERROR(VerifySignature(site, assertion, key, &counter));
  return counter;
}

}  // namespace carme::backend
