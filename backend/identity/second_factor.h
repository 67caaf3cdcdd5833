// What a second factor is asked for and answered with, whichever kind it is.
#ifndef CARME_BACKEND_IDENTITY_SECOND_FACTOR_H_
#define CARME_BACKEND_IDENTITY_SECOND_FACTOR_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/identity/factor_store.h"
#include "backend/identity/recovery_codes.h"
#include "common/ids.h"

namespace carme {

// What a person sent. Exactly one member is set, else it is wrong.
struct FactorAnswer {
  std::string totp = {};
  std::string recovery_code = {};
};

// What an account can answer with.
struct FactorOffer {
  bool totp = false;
  bool recovery = false;
  bool enrolled() const { return totp; }
};

// Thread-safe; blocks for the disk.
class SecondFactor {
 public:
  // Both outlive the object.
  SecondFactor(FactorStore* factors, RecoveryCodes* codes)
      : factors_(*factors), codes_(*codes) {}

  absl::StatusOr<FactorOffer> OfferOf(Uid uid);
  // Spends what was right. UNAUTHENTICATED: wrong; the message is for the log.
  absl::Status Check(Uid uid, const FactorAnswer& answer,
                     std::string_view client_address);

 private:
  FactorStore& factors_;
  RecoveryCodes& codes_;
};

}  // namespace carme

#endif  // CARME_BACKEND_IDENTITY_SECOND_FACTOR_H_
