// Ten codes, each of which replaces the second factor once.
#ifndef CARME_BACKEND_IDENTITY_FACTORS_RECOVERY_CODES_H_
#define CARME_BACKEND_IDENTITY_FACTORS_RECOVERY_CODES_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/store/database.h"
#include "common/clock.h"
#include "common/ids.h"

namespace carme::backend {

// Thread-safe. Invariants:
// 1. A code has 80 random bits; the disk holds a SHA-256 of account and code. A
//    slow hash is unnecessary for 80 random bits.
// 2. An accepted code is marked as used on the disk before the response.
class RecoveryCodes {
 public:
  static constexpr int kCount = 10;

  // Both must outlive the object.
  RecoveryCodes(Database* database, const Clock* clock)
      : database_(*database), clock_(*clock) {}

  // Creates ten codes, "ABCD-EFGH-JKLM-NPQR", and invalidates the old ones.
  absl::StatusOr<std::vector<std::string>> Renew(Uid uid);
  // How many are unused.
  absl::StatusOr<int> CountUnused(Uid uid);
  // Checks a code without using it. UNAUTHENTICATED: Use would fail.
  absl::Status Check(Uid uid, std::string_view text);
  // Marks the code as used and notifies its owner with the client address.
  // UNAUTHENTICATED: not a code of this account, or used.
  absl::Status Use(Uid uid, std::string_view text,
                   std::string_view client_address);

 private:
  Database& database_;
  const Clock& clock_;
};

// The canonical form, which is hashed: capitals without hyphens and spaces.
// nullopt: not a code.
std::optional<std::string> NormalRecoveryCode(std::string_view text);

// Renew within a transaction of the caller. REQUIRES: in a transaction.
absl::StatusOr<std::vector<std::string>> WriteRecoveryCodes(Database& db,
                                                            Uid uid);
// REQUIRES: in a transaction.
absl::Status DeleteRecoveryCodes(Database& db, Uid uid);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_FACTORS_RECOVERY_CODES_H_
