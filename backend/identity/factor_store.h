// The enrolled second factors, on the disk.
#ifndef CARME_BACKEND_IDENTITY_FACTOR_STORE_H_
#define CARME_BACKEND_IDENTITY_FACTOR_STORE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/identity/factor.h"
#include "backend/identity/passkey.h"
#include "backend/store/database.h"
#include "common/clock.h"
#include "common/ids.h"

namespace carme::backend {

// Whether an account may have factors already when one is enrolled.
enum class Enrol { kFirst, kFurther };

// Thread-safe. Invariants:
// 1. A TOTP step that was accepted once is on the disk before the answer, and
//    neither it nor an older one is accepted again.
// 2. An account that has a factor keeps one, but for RemoveAll.
// 3. A passkey's counter never goes back; a credential id is enrolled once.
// 4. The first factor comes with ten recovery codes, in one transaction.
class FactorStore {
 public:
  static constexpr int64_t kMostPerAccount = 16;
  static constexpr size_t kMostNameBytes = 64;

  // Both outlive the object.
  FactorStore(Database* database, const Clock* clock)
      : database_(*database), clock_(*clock) {}

  // The oldest first.
  absl::StatusOr<std::vector<EnrolledFactor>> List(Uid uid);

  // Checks `code` against each of the account's secrets and spends its step, in
  // one transaction. UNAUTHENTICATED: a wrong code, a used one, or nothing
  // enrolled; else the database's errors.
  absl::Status UseTotp(Uid uid, std::string_view code);

  // Enrols `secret` when `code` proves that the user has it; the code is
  // spent. UNAUTHENTICATED: a wrong code, or it was to be the first factor and
  // is not. RESOURCE_EXHAUSTED: too many. INVALID_ARGUMENT: no name for a list.
  // ALREADY_EXISTS: the account has this secret.
  absl::StatusOr<Enrolment> AddTotp(Uid uid, std::string_view name,
                                    std::string_view secret,
                                    std::string_view code, Enrol which);

  // What CheckPasskeyAssertion needs of each of the account's passkeys.
  absl::StatusOr<std::vector<PasskeyKey>> Passkeys(Uid uid);
  // Records that the key has answered. UNAUTHENTICATED: `counter` may not
  // follow the one that is kept, as if there were a copy of the key.
  absl::Status SpendPasskey(const PasskeyKey& key, uint32_t counter);
  // As AddTotp, after CheckPasskeyCreated. ALREADY_EXISTS: it is enrolled.
  absl::StatusOr<Enrolment> AddPasskey(Uid uid, std::string_view name,
                                       const PasskeyKey& key, Enrol which);

  // NOT_FOUND; FAILED_PRECONDITION: it is the account's last one.
  absl::Status Remove(Uid uid, const std::string& id);

  // Recovery codes too, and tells their owner `why`: the next log-in enrols
  // anew.
  absl::Status RemoveAll(Uid uid, std::string_view why);

 private:
  Database& database_;
  const Clock& clock_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_FACTOR_STORE_H_
