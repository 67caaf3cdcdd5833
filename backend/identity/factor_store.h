// The enrolled second factors, on the disk.
#ifndef CARME_BACKEND_IDENTITY_FACTOR_STORE_H_
#define CARME_BACKEND_IDENTITY_FACTOR_STORE_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/store/database.h"

namespace carme {

// Thread-safe. Invariant: a TOTP step that was accepted once is on the disk
// before the answer, and neither it nor an older one is accepted again.
class FactorStore {
 public:
  explicit FactorStore(Database* database) : database_(*database) {}

  absl::StatusOr<bool> HasTotp(const std::string& username);

  // Checks `code` and spends its step, in one transaction. UNAUTHENTICATED: a
  // wrong code, a used one, or nothing enrolled; else the database's errors.
  absl::Status UseTotp(const std::string& username, std::string_view code,
                       absl::Time now);

  // Enrols `secret` when `code` proves that the user has it; the code is
  // spent. UNAUTHENTICATED: a wrong code, or the account was enrolled in the
  // meantime.
  absl::Status EnrolTotp(const std::string& username, std::string_view secret,
                         std::string_view code, absl::Time now);

 private:
  Database& database_;
};

}  // namespace carme

#endif  // CARME_BACKEND_IDENTITY_FACTOR_STORE_H_
