// Which certificates their authority has taken back.
#ifndef CARME_COMMON_PKI_REVOCATIONS_H_
#define CARME_COMMON_PKI_REVOCATIONS_H_

#include <set>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace carme {

// A value. By serial alone: those of Carme's authorities are 127 random bits.
// A list past its nextUpdate counts as it is: it is a file that an
// administrator puts there, what it revokes stays revoked, and refusing
// everybody for its age would be worse than what it protects from. Its age is
// warned of instead (common/pki/expiry.h).
class Revocations {
 public:
  // Revokes nothing.
  Revocations() = default;

  // Reads the lists (one or several, PEM). INVALID_ARGUMENT: none, or one that
  // cannot be read, or that no certificate of `ca_pem` has signed.
  static absl::StatusOr<Revocations> Read(std::string_view crl_pem,
                                          std::string_view ca_pem);

  // `serial` as in CertificateFacts.
  bool Contains(const std::string& serial) const {
    return serials_.count(serial) > 0;
  }
  size_t size() const { return serials_.size(); }
  // When the first of the lists should have been replaced; infinite where none
  // says so.
  absl::Time next_update() const { return next_update_; }
  // Whether they revoke the same.
  friend bool operator==(const Revocations& a, const Revocations& b) {
    return a.serials_ == b.serials_;
  }

 private:
  std::set<std::string> serials_;
  absl::Time next_update_ = absl::InfiniteFuture();
};

}  // namespace carme

#endif  // CARME_COMMON_PKI_REVOCATIONS_H_
