#include "backend/carmectl/pki/signing.h"

#include <openssl/x509v3.h>

#include "absl/strings/str_cat.h"
#include "backend/carmectl/pki/messages.h"
#include "common/pki/certificate.h"
#include "common/status.h"

namespace carme::carmectl {
namespace {

// For clocks that differ.
constexpr absl::Duration kSkew = absl::Minutes(5);

using Asn1Integer = std::unique_ptr<ASN1_INTEGER, Freed<ASN1_INTEGER_free>>;
using Asn1Time = std::unique_ptr<ASN1_TIME, Freed<ASN1_TIME_free>>;

Asn1Time ToAsn1(absl::Time time) {
  return Asn1Time(ASN1_TIME_set(nullptr, absl::ToTimeT(time)));
}

bool AddRevoked(X509_CRL* crl, const IssuedEntry& entry) {
  BIGNUM* number = nullptr;
  if (BN_hex2bn(&number, entry.serial.c_str()) == 0) return false;
  const Asn1Integer serial(BN_to_ASN1_INTEGER(number, nullptr));
  BN_free(number);
  const Asn1Time at = ToAsn1(*entry.revoked_at);
  X509_REVOKED* revoked = X509_REVOKED_new();
  if (revoked == nullptr || serial == nullptr || at == nullptr ||
      X509_REVOKED_set_serialNumber(revoked, serial.get()) != 1 ||
      X509_REVOKED_set_revocationDate(revoked, at.get()) != 1 ||
      X509_CRL_add0_revoked(crl, revoked) != 1) {
    X509_REVOKED_free(revoked);
    return false;
  }
  return true;
}

// Increases with time, as RFC 5280 section 5.2.3 requires.
bool SetNumber(X509_CRL* crl, absl::Time now) {
  const Asn1Integer number(ASN1_INTEGER_new());
  return number != nullptr &&
         ASN1_INTEGER_set_int64(number.get(), absl::ToUnixMillis(now)) == 1 &&
         X509_CRL_add1_ext_i2d(crl, NID_crl_number, number.get(), 0, 0) == 1;
}

}  // namespace

absl::StatusOr<X509Ptr> MakeAuthorityCertificate(EVP_PKEY* key, absl::Time now,
                                                 absl::Time until) {
  X509Ptr made(X509_new());
  X509* ca = made.get();
  const bool ok =
      X509_set_version(ca, X509_VERSION_3) == 1 && SetRandomSerial(ca) &&
      SetTimes(ca, now - kSkew, until) &&
      SetCommonName(X509_get_subject_name(ca), "Carme site CA") &&
      X509_set_issuer_name(ca, X509_get_subject_name(ca)) == 1 &&
      X509_set_pubkey(ca, key) == 1 &&
      AddExtension(ca, ca, NID_basic_constraints,
                   "critical,CA:TRUE,pathlen:0") &&
      AddExtension(ca, ca, NID_key_usage, "critical,keyCertSign,cRLSign") &&
      AddExtension(ca, ca, NID_subject_key_identifier, "hash") && Sign(ca, key);
  if (!ok) return absl::InternalError("authority cannot be made");
  return made;
}

absl::StatusOr<X509Ptr> MakeProgramCertificate(
    const Signer& authority, EVP_PKEY* key, const ProgramCertificate& program) {
  ASSIGN_OR_RETURN(const CertificateFacts ca, FactsOf(authority.certificate));
  if (program.until > ca.not_after) {
    return MakePlainError(pki_messages::kAuthorityEndsBefore,
                          {{"day", absl::FormatTime("%Y-%m-%d", ca.not_after,
                                                    absl::UTCTimeZone())}});
  }
  const std::string uri = ToUri(program.identity);
  std::string names = absl::StrCat("URI:", uri);
  for (const std::string& name : program.dns_names) {
    absl::StrAppend(&names, ",DNS:", name);
  }
  const char* const usage = !program.is_server ? "clientAuth"
                            : program.identity.role == MachineRole::kMetrics
                                ? "serverAuth,clientAuth"
                                : "serverAuth";
  X509Ptr made(X509_new());
  X509* leaf = made.get();
  X509* issuer = authority.certificate;
  const bool ok =
      X509_set_version(leaf, X509_VERSION_3) == 1 && SetRandomSerial(leaf) &&
      SetTimes(leaf, program.now - kSkew, program.until) &&
      SetCommonName(
          X509_get_subject_name(leaf),
          absl::StrCat("Carme ",
                       std::string(RoleName(program.identity.role)))) &&
      X509_set_issuer_name(leaf, X509_get_subject_name(issuer)) == 1 &&
      X509_set_pubkey(leaf, key) == 1 &&
      AddExtension(leaf, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
      AddExtension(leaf, issuer, NID_key_usage, "critical,digitalSignature") &&
      AddExtension(leaf, issuer, NID_ext_key_usage, usage) &&
      AddExtension(leaf, issuer, NID_authority_key_identifier,
                   "keyid:always") &&
      AddExtension(leaf, issuer, NID_subject_alt_name, names) &&
      Sign(leaf, authority.key);
  if (!ok) return absl::InternalError("certificate cannot be made");
  return made;
}

absl::StatusOr<std::string> MakeRevocationList(
    const Signer& authority, const std::vector<IssuedEntry>& entries,
    absl::Time now) {
  ASSIGN_OR_RETURN(const CertificateFacts ca, FactsOf(authority.certificate));
  const CrlPtr crl(X509_CRL_new());
  X509_CRL* list = crl.get();
  const Asn1Time issued = ToAsn1(now - kSkew);
  // The programs read the list from a file, so it is valid until it is
  // replaced.
  const Asn1Time next = ToAsn1(ca.not_after);
  bool ok =
      list != nullptr && X509_CRL_set_version(list, X509_CRL_VERSION_2) == 1 &&
      X509_CRL_set_issuer_name(
          list, X509_get_subject_name(authority.certificate)) == 1 &&
      X509_CRL_set1_lastUpdate(list, issued.get()) == 1 &&
      X509_CRL_set1_nextUpdate(list, next.get()) == 1 && SetNumber(list, now);
  for (const IssuedEntry& entry : entries) {
    if (ok && entry.revoked_at) ok = AddRevoked(list, entry);
  }
  ok = ok && X509_CRL_sort(list) == 1 &&
       X509_CRL_sign(list, authority.key, EVP_sha256()) > 0;
  if (!ok) return absl::InternalError("revocation list cannot be made");
  return ToPem(list);
}

}  // namespace carme::carmectl
