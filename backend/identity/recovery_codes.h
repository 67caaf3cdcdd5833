// Ten codes on paper that each stand in for a second factor once.
#ifndef CARME_BACKEND_IDENTITY_RECOVERY_CODES_H_
#define CARME_BACKEND_IDENTITY_RECOVERY_CODES_H_

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
// 1. A code is 80 random bits; the disk holds a SHA-256 over account and code,
//    which nobody can turn round (README, decisions).
// 2. A code that was accepted is spent on the disk before the answer.
class RecoveryCodes {
 public:
  static constexpr int kCount = 10;

  // Both outlive the object.
  RecoveryCodes(Database* database, const Clock* clock)
      : database_(*database), clock_(*clock) {}

  // Ten new ones, "ABCD-EFGH-JKLM-NPQR"; the old ones are void.
  absl::StatusOr<std::vector<std::string>> Renew(Uid uid);
  // How many are not spent.
  absl::StatusOr<int> Left(Uid uid);
  // Whether Use would take it. UNAUTHENTICATED: no.
  absl::Status Look(Uid uid, std::string_view text);
  // Spends it, and tells its owner from where.
  // UNAUTHENTICATED: no code of this account, or a spent one.
  absl::Status Use(Uid uid, std::string_view text,
                   std::string_view client_address);

 private:
  Database& database_;
  const Clock& clock_;
};

// The code as it is hashed: capitals without hyphens and spaces. Nothing: it
// is no code at all.
std::optional<std::string> NormalRecoveryCode(std::string_view text);

// Renew as part of something greater. REQUIRES: in a transaction.
absl::StatusOr<std::vector<std::string>> WriteRecoveryCodes(Database& db,
                                                            Uid uid);
// REQUIRES: in a transaction.
absl::Status DeleteRecoveryCodes(Database& db, Uid uid);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_RECOVERY_CODES_H_
