#include "common/pki/ocsp_response.h"

#include <openssl/err.h>
#include <openssl/ocsp.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "common/pki/x509_maker.h"

namespace carme {
namespace {

using ResponsePtr = std::unique_ptr<OCSP_RESPONSE, Freed<OCSP_RESPONSE_free>>;
using BasicPtr = std::unique_ptr<OCSP_BASICRESP, Freed<OCSP_BASICRESP_free>>;
using IdPtr = std::unique_ptr<OCSP_CERTID, Freed<OCSP_CERTID_free>>;
using StorePtr = std::unique_ptr<X509_STORE, Freed<X509_STORE_free>>;

// The tolerance for clocks: a response is often created for the current second.
constexpr absl::Duration kClockSkew = absl::Minutes(5);

absl::Status Unusable(const char* why) {
  ERR_clear_error();
  return absl::FailedPreconditionError(absl::StrCat("OCSP answer: ", why));
}

X509Ptr Next(BIO* pem) {
  // With a password callback OpenSSL does not prompt on a terminal.
  return X509Ptr(PEM_read_bio_X509(
      pem, nullptr, [](char*, int, int, void*) { return -1; }, nullptr));
}

struct Word {
  int status = V_OCSP_CERTSTATUS_UNKNOWN;
  ASN1_GENERALIZEDTIME* from = nullptr;  // both are owned by the response
  ASN1_GENERALIZEDTIME* until = nullptr;
};

// Responders identify the certificate by either digest.
bool FindWord(OCSP_BASICRESP* basic, X509* leaf, X509* issuer, Word* word) {
  for (const EVP_MD* digest : {EVP_sha1(), EVP_sha256()}) {
    const IdPtr id(OCSP_cert_to_id(digest, leaf, issuer));
    int reason = 0;
    if (id != nullptr &&
        OCSP_resp_find_status(basic, id.get(), &word->status, &reason, nullptr,
                              &word->from, &word->until) == 1) {
      return true;
    }
  }
  return false;
}

// Signed by the issuer, or by a responder that the issuer has authorized.
bool IsSignedFor(OCSP_BASICRESP* basic, X509* issuer) {
  const StorePtr store(X509_STORE_new());
  STACK_OF(X509)* certificates = sk_X509_new_null();
  const bool good =
      store != nullptr && certificates != nullptr &&
      X509_STORE_set_flags(store.get(), X509_V_FLAG_PARTIAL_CHAIN) == 1 &&
      X509_STORE_add_cert(store.get(), issuer) == 1 &&
      sk_X509_push(certificates, issuer) > 0 &&
      OCSP_basic_verify(basic, certificates, store.get(), 0) == 1;
  sk_X509_free(certificates);
  return good;
}

}  // namespace

absl::StatusOr<OcspResponse> ReadOcspResponse(const std::string& der,
                                              std::string_view chain_pem,
                                              absl::Time now) {
  const BioPtr pem = ReadingBio(chain_pem);
  const X509Ptr leaf = Next(pem.get());
  const X509Ptr issuer = Next(pem.get());
  if (leaf == nullptr || issuer == nullptr) {
    return Unusable("the certificate's issuer is not in its chain");
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
  const ResponsePtr response(
      d2i_OCSP_RESPONSE(nullptr, &bytes, static_cast<long>(der.size())));
  if (response == nullptr ||
      OCSP_response_status(response.get()) != OCSP_RESPONSE_STATUS_SUCCESSFUL) {
    return Unusable("expected one in DER that reports success");
  }
  const BasicPtr basic(OCSP_response_get1_basic(response.get()));
  Word word;
  if (basic == nullptr ||
      !FindWord(basic.get(), leaf.get(), issuer.get(), &word)) {
    return Unusable("it is about another certificate");
  }
  if (!IsSignedFor(basic.get(), issuer.get())) {
    return Unusable("the issuer did not sign it");
  }
  if (word.status != V_OCSP_CERTSTATUS_GOOD) {
    return Unusable("it does not say that the certificate is good");
  }
  if (word.from == nullptr || word.until == nullptr ||
      TimeOf(word.from) > now + kClockSkew || TimeOf(word.until) <= now) {
    return Unusable("it is not for now");
  }
  return OcspResponse{der, TimeOf(word.until)};
}

}  // namespace carme
