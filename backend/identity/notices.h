// What a person must be told when they come next: their factors were reset, a
// recovery code was used.
#ifndef CARME_BACKEND_IDENTITY_NOTICES_H_
#define CARME_BACKEND_IDENTITY_NOTICES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/store/database.h"
#include "common/clock.h"
#include "common/ids.h"

namespace carme {

struct Notice {
  int64_t id = 0;
  absl::Time at;
  std::string text;
};

// Thread-safe.
class Notices {
 public:
  // Older ones are forgotten, read or not.
  static constexpr int64_t kMostPerAccount = 20;

  // Both outlive the object.
  Notices(Database* database, const Clock* clock)
      : database_(*database), clock_(*clock) {}

  absl::Status Add(Uid uid, std::string_view text);
  // Those that were not dismissed, the newest first.
  absl::StatusOr<std::vector<Notice>> List(Uid uid);
  // NOT_FOUND: no such notice of this account.
  absl::Status Dismiss(Uid uid, int64_t id);

 private:
  Database& database_;
  const Clock& clock_;
};

// Adds one as part of something greater. REQUIRES: in a transaction.
absl::Status WriteNotice(Database& db, Uid uid, std::string_view text,
                         absl::Time now);

}  // namespace carme

#endif  // CARME_BACKEND_IDENTITY_NOTICES_H_
