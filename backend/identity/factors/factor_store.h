// The table of enrolled second factors.
#ifndef CARME_BACKEND_IDENTITY_FACTORS_FACTOR_STORE_H_
#define CARME_BACKEND_IDENTITY_FACTORS_FACTOR_STORE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/identity/factors/factor.h"
#include "backend/identity/factors/passkey.h"
#include "backend/store/database.h"
#include "common/clock.h"
#include "common/display_text.h"
#include "common/ids.h"

namespace carme::backend {

// Whether an account may have factors already when one is enrolled.
enum class EnrollmentKind { kFirst, kAdditional };

// Thread-safe. Invariants:
// 1. An accepted TOTP step is on the disk before the response; neither that
// step
//    nor an older one is accepted again.
// 2. The last factor of an account is removed only by RemoveAll.
// 3. The counter of a passkey never decreases; a credential id is enrolled
// once.
// 4. The first factor comes with ten recovery codes, in one transaction.
class FactorStore {
 public:
  static constexpr int64_t kMaxPerAccount = 16;
  static constexpr size_t kMaxNameBytes = 64;

  // Both must outlive the object.
  FactorStore(Database* database, const Clock* clock)
      : database_(*database), clock_(*clock) {}

  // All factors of the account, the oldest first.
  absl::StatusOr<std::vector<EnrolledFactor>> List(Uid uid);

  // Checks `code` against each secret of the account and consumes its step, in
  // one transaction. UNAUTHENTICATED: wrong or used code, or nothing enrolled;
  // otherwise the errors of the database.
  absl::Status UseTotp(Uid uid, std::string_view code);

  // Enrolls `secret` if `code` proves that the user has it; consumes the code.
  // UNAUTHENTICATED: wrong code, or kFirst and the account has a factor.
  // RESOURCE_EXHAUSTED: too many factors. INVALID_ARGUMENT: invalid name.
  // ALREADY_EXISTS: the account has this secret.
  absl::StatusOr<Enrollment> AddTotp(Uid uid, std::string_view name,
                                     std::string_view secret,
                                     std::string_view code,
                                     EnrollmentKind which);

  // The passkeys of the account, for CheckPasskeyAssertion.
  absl::StatusOr<std::vector<PasskeyKey>> Passkeys(Uid uid);
  // Records an assertion. UNAUTHENTICATED: `counter` may not follow the stored
  // one, which indicates a copied key.
  absl::Status RecordAssertion(const PasskeyKey& key, uint32_t counter);
  // As AddTotp, after CheckPasskeyCreated. ALREADY_EXISTS: enrolled before.
  absl::StatusOr<Enrollment> AddPasskey(Uid uid, std::string_view name,
                                        const PasskeyKey& key,
                                        EnrollmentKind which);

  // NOT_FOUND; FAILED_PRECONDITION: the last factor of the account.
  absl::Status Remove(Uid uid, const std::string& id);

  // Removes all factors and recovery codes and notifies the owner with the
  // reason `why`. The next login enrolls a factor.
  absl::Status RemoveAll(Uid uid, const DisplayText& why);

 private:
  Database& database_;
  const Clock& clock_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_FACTORS_FACTOR_STORE_H_
