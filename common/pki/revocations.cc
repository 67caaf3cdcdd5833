#include "common/pki/revocations.h"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <algorithm>
#include <vector>

#include "common/pki/x509_maker.h"

namespace carme {
namespace {

std::vector<X509Ptr> AuthoritiesOf(std::string_view pem) {
  std::vector<X509Ptr> authorities;
  const BioPtr bio = ReadingBio(pem);
  while (
      X509Ptr next{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)}) {
    authorities.push_back(std::move(next));
  }
  ERR_clear_error();
  return authorities;
}

bool IsSignedBy(X509_CRL* crl, X509* authority) {
  const bool is = X509_NAME_cmp(X509_CRL_get_issuer(crl),
                                X509_get_subject_name(authority)) == 0 &&
                  X509_CRL_verify(crl, X509_get0_pubkey(authority)) == 1;
  ERR_clear_error();
  return is;
}

}  // namespace

absl::StatusOr<Revocations> Revocations::Read(std::string_view crl_pem,
                                              std::string_view ca_pem) {
  const std::vector<X509Ptr> authorities = AuthoritiesOf(ca_pem);
  Revocations revocations;
  const BioPtr bio = ReadingBio(crl_pem);
  int lists = 0;
  while (
      CrlPtr crl{PEM_read_bio_X509_CRL(bio.get(), nullptr, nullptr, nullptr)}) {
    ++lists;
    if (std::none_of(authorities.begin(), authorities.end(),
                     [&](const X509Ptr& authority) {
                       return IsSignedBy(crl.get(), authority.get());
                     })) {
      return absl::InvalidArgumentError(
          "revocation list is not signed by the authority");
    }
    if (const ASN1_TIME* next = X509_CRL_get0_nextUpdate(crl.get())) {
      revocations.next_update_ =
          std::min(revocations.next_update_, TimeOf(next));
    }
    STACK_OF(X509_REVOKED)* entries = X509_CRL_get_REVOKED(crl.get());
    for (int i = 0; i < sk_X509_REVOKED_num(entries); ++i) {
      revocations.serials_.insert(SerialText(
          X509_REVOKED_get0_serialNumber(sk_X509_REVOKED_value(entries, i))));
    }
  }
  // The loop must have ended at the end of the text, not at a malformed list.
  const bool at_end =
      ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (lists == 0 || !at_end) {
    return absl::InvalidArgumentError("no revocation list in PEM");
  }
  return revocations;
}

}  // namespace carme
