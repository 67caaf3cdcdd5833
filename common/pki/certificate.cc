#include "common/pki/certificate.h"

#include <openssl/asn1.h>
#include <openssl/x509v3.h>

#include "absl/strings/ascii.h"
#include "common/pki/x509_maker.h"
#include "common/status.h"

namespace carme {
namespace {

using AlternativeNames =
    std::unique_ptr<GENERAL_NAMES, Freed<GENERAL_NAMES_free>>;

std::string BytesOf(const ASN1_STRING* text) {
  return std::string(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                     static_cast<size_t>(ASN1_STRING_length(text)));
}

std::string CommonNameOf(X509* certificate) {
  X509_NAME* subject = X509_get_subject_name(certificate);
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  return at < 0 ? ""
                : BytesOf(X509_NAME_ENTRY_get_data(
                      X509_NAME_get_entry(subject, at)));
}

}  // namespace

std::string SerialText(const asn1_string_st* serial) {
  const std::unique_ptr<BIGNUM, Freed<BN_free>> number(
      ASN1_INTEGER_to_BN(serial, nullptr));
  char* hex = number != nullptr ? BN_bn2hex(number.get()) : nullptr;
  std::string text = hex != nullptr ? absl::AsciiStrToLower(hex) : "";
  OPENSSL_free(hex);
  text.erase(0, std::min(text.find_first_not_of('0'), text.size()));
  return text;
}

absl::StatusOr<CertificateFacts> FactsOf(X509* certificate) {
  CertificateFacts facts;
  facts.serial = SerialText(X509_get0_serialNumber(certificate));
  facts.subject = CommonNameOf(certificate);
  facts.not_before = TimeOf(X509_get0_notBefore(certificate));
  facts.not_after = TimeOf(X509_get0_notAfter(certificate));
  facts.is_authority = X509_check_ca(certificate) == 1;
  int found = 0;
  const AlternativeNames names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, &found, nullptr)));
  // -1: the certificate has none. Other values: malformed or repeated.
  if (names == nullptr && found != -1) {
    return absl::InvalidArgumentError(
        "certificate has alternative names that cannot be read");
  }
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type == GEN_URI) {
      facts.uris.push_back(BytesOf(name->d.uniformResourceIdentifier));
    } else if (name->type == GEN_DNS) {
      facts.dns_names.push_back(BytesOf(name->d.dNSName));
    }
  }
  return facts;
}

absl::StatusOr<CertificateFacts> ReadCertificate(std::string_view pem) {
  const X509Ptr certificate = CertificateFromPem(pem);
  if (certificate == nullptr) {
    return absl::InvalidArgumentError("no certificate in PEM");
  }
  return FactsOf(certificate.get());
}

absl::Status CheckKeyPair(std::string_view certificate_pem,
                          std::string_view key_pem) {
  const X509Ptr certificate = CertificateFromPem(certificate_pem);
  const KeyPtr key = KeyFromPem(key_pem);
  if (certificate == nullptr) {
    return absl::FailedPreconditionError("expected a certificate in PEM");
  }
  if (key == nullptr) {
    return absl::FailedPreconditionError(
        "expected a key without password in PEM");
  }
  if (!IsKeyOf(certificate.get(), key.get())) {
    return absl::FailedPreconditionError("the key is not the certificate's");
  }
  return absl::OkStatus();
}

}  // namespace carme
