// Verification and enrollment of second factors of all kinds.
#ifndef CARME_BACKEND_IDENTITY_FACTORS_SECOND_FACTOR_H_
#define CARME_BACKEND_IDENTITY_FACTORS_SECOND_FACTOR_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/identity/factors/factor_store.h"
#include "backend/identity/factors/passkey.h"
#include "backend/identity/factors/recovery_codes.h"
#include "common/ids.h"

namespace carme::backend {

// The input of the user. Valid only if exactly one member is set.
struct FactorAnswer {
  std::string totp = {};
  std::optional<PasskeyAssertion> passkey = {};
  std::optional<PasskeyCreated> new_passkey = {};  // only for enrollment
  std::string recovery_code = {};
  bool empty() const {
    return totp.empty() && !passkey && !new_passkey && recovery_code.empty();
  }
};

// The factors of an account.
struct FactorOffer {
  bool totp = false;
  bool recovery = false;
  std::vector<std::string> credential_ids = {};  // of its passkeys
  bool enrolled() const { return totp || !credential_ids.empty(); }
};

// The offered TOTP secret and passkey challenge; empty: kind not offered.
struct EnrollmentOffer {
  std::string totp_secret = {};
  std::string passkey_challenge = {};
};

// Thread-safe; blocks for the disk.
class SecondFactor {
 public:
  // Both pointers must outlive the object.
  SecondFactor(FactorStore* factors, RecoveryCodes* codes, PasskeySite site)
      : factors_(*factors), codes_(*codes), site_(std::move(site)) {}

  const PasskeySite& site() const { return site_; }

  absl::StatusOr<FactorOffer> OfferOf(Uid uid);
  // Consumes a right answer. UNAUTHENTICATED: wrong; the message is for the
  // log.
  absl::Status Check(Uid uid, const FactorAnswer& answer,
                     std::string_view passkey_challenge,
                     std::string_view client_address);
  // As Check, but does not consume a recovery code.
  absl::Status CheckWithoutConsuming(Uid uid, const FactorAnswer& answer,
                                     std::string_view passkey_challenge);
  // Enrolls a factor. UNAUTHENTICATED: the answer does not match the offer;
  // other errors are those of FactorStore.
  absl::StatusOr<Enrollment> Enroll(Uid uid, const FactorAnswer& answer,
                                    std::string_view totp_name,
                                    const EnrollmentOffer& offer,
                                    EnrollmentKind which);

 private:
  absl::Status CheckPasskey(Uid uid, const PasskeyAssertion& assertion,
                            std::string_view challenge);
  FactorStore& factors_;
  RecoveryCodes& codes_;
  const PasskeySite site_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_FACTORS_SECOND_FACTOR_H_
