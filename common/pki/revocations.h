// Certificate revocation lists.
#ifndef CARME_COMMON_PKI_REVOCATIONS_H_
#define CARME_COMMON_PKI_REVOCATIONS_H_

#include <set>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace carme {

// A value. Identifies certificates by their serial, which has 127 random bits
// in Carme's CAs. A list past its nextUpdate is still used: an administrator
// puts the file there, revoked certificates stay revoked, and refusing all
// connections would cause more harm. expiry.h warns of an old list.
class Revocations {
 public:
  // Revokes nothing.
  Revocations() = default;

  // Reads one or more lists (PEM). INVALID_ARGUMENT: no list, or one is
  // malformed or not signed by a certificate of `ca_pem`.
  static absl::StatusOr<Revocations> Read(std::string_view crl_pem,
                                          std::string_view ca_pem);

  // `serial` as in CertificateFacts.
  bool Contains(const std::string& serial) const {
    return serials_.count(serial) > 0;
  }
  size_t size() const { return serials_.size(); }
  // The earliest nextUpdate of the lists; infinite if no list has one.
  absl::Time next_update() const { return next_update_; }
  // Whether both revoke the same certificates.
  friend bool operator==(const Revocations& a, const Revocations& b) {
    return a.serials_ == b.serials_;
  }

 private:
  std::set<std::string> serials_;
  absl::Time next_update_ = absl::InfiniteFuture();
};

}  // namespace carme

#endif  // CARME_COMMON_PKI_REVOCATIONS_H_
