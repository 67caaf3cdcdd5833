// What a second factor is asked and answers, whichever kind it is.
#ifndef CARME_BACKEND_IDENTITY_SECOND_FACTOR_H_
#define CARME_BACKEND_IDENTITY_SECOND_FACTOR_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/identity/factor_store.h"
#include "backend/identity/passkey.h"
#include "backend/identity/recovery_codes.h"
#include "common/ids.h"

namespace carme::backend {

// What a person sent. Exactly one member is set, else it is wrong.
struct FactorAnswer {
  std::string totp = {};
  std::optional<PasskeyAssertion> passkey = {};
  std::optional<PasskeyCreated> new_passkey = {};  // enrols, proves nothing
  std::string recovery_code = {};
  bool empty() const {
    return totp.empty() && !passkey && !new_passkey && recovery_code.empty();
  }
};

// What an account can answer with.
struct FactorOffer {
  bool totp = false;
  bool recovery = false;
  std::vector<std::string> credential_ids = {};  // of its passkeys
  bool enrolled() const { return totp || !credential_ids.empty(); }
};

// What an enrolment was offered: a secret, a challenge; empty: not that kind.
struct EnrolmentOffer {
  std::string totp_secret = {};
  std::string passkey_challenge = {};
};

// Thread-safe; blocks for the disk.
class SecondFactor {
 public:
  // Both pointers outlive the object.
  SecondFactor(FactorStore* factors, RecoveryCodes* codes, PasskeySite site)
      : factors_(*factors), codes_(*codes), site_(std::move(site)) {}

  const PasskeySite& site() const { return site_; }

  absl::StatusOr<FactorOffer> OfferOf(Uid uid);
  // Spends what was right. UNAUTHENTICATED: wrong; the message is for the log.
  absl::Status Check(Uid uid, const FactorAnswer& answer,
                     std::string_view passkey_challenge,
                     std::string_view client_address);
  // As Check, but that a recovery code is looked at and not spent.
  absl::Status CheckUnspent(Uid uid, const FactorAnswer& answer,
                            std::string_view passkey_challenge);
  // UNAUTHENTICATED: it does not answer the offer; else FactorStore's errors.
  absl::StatusOr<Enrolment> Add(Uid uid, const FactorAnswer& answer,
                                std::string_view totp_name,
                                const EnrolmentOffer& offer, Enrol which);

 private:
  absl::Status CheckPasskey(Uid uid, const PasskeyAssertion& assertion,
                            std::string_view challenge);
  FactorStore& factors_;
  RecoveryCodes& codes_;
  const PasskeySite site_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_SECOND_FACTOR_H_
