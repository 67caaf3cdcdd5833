// The table `environments`: users' environment definition files.
#ifndef CARME_BACKEND_ENVIRONMENTS_ENVIRONMENT_STORE_H_
#define CARME_BACKEND_ENVIRONMENTS_ENVIRONMENT_STORE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/store/database.h"
#include "common/ids.h"

namespace carme::backend {

struct StoredEnvironment {
  std::string name;
  std::string text;  // empty in a list
  int64_t revision = 0;
  absl::Time changed_at;
};

// Thread-safe; every call is one transaction. Errors are the database's unless
// named.
class EnvironmentStore {
 public:
  explicit EnvironmentStore(Database* database) : database_(*database) {}

  absl::StatusOr<std::vector<StoredEnvironment>> List(Uid uid);  // by name
  absl::StatusOr<StoredEnvironment> Find(Uid uid,
                                         const std::string& name);  // NOT_FOUND

  // `revision`: of the text that was edited, 0 for a new one. NOT_FOUND,
  // ALREADY_EXISTS, FAILED_PRECONDITION: it was changed since;
  // RESOURCE_EXHAUSTED: the user has `max` already.
  absl::StatusOr<StoredEnvironment> Save(Uid uid, const std::string& name,
                                         const std::string& text,
                                         int64_t revision, absl::Time now,
                                         int max);
  absl::Status Delete(Uid uid, const std::string& name);  // NOT_FOUND

 private:
  Database& database_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_ENVIRONMENTS_ENVIRONMENT_STORE_H_
