// The table of users who have logged in at least once.
#ifndef CARME_BACKEND_IDENTITY_USERS_USER_STORE_H_
#define CARME_BACKEND_IDENTITY_USERS_USER_STORE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/identity/directory.h"
#include "backend/store/database.h"
#include "common/clock.h"

namespace carme::backend {

struct UserRecord {
  Person person;  // without groups; as of the last login
  absl::Time last_login;
};

// Thread-safe. The uid identifies an account. When the directory assigns a user
// name to another uid, the old row is renamed to "#UID".
class UserStore {
 public:
  static constexpr int kHandleBytes = 16;

  // Both must outlive the object.
  UserStore(Database* database, const Clock* clock)
      : database_(*database), clock_(*clock) {}

  // WebAuthn's user.id: random and permanent. Creates a row for an unknown
  // user, with login times of zero (never).
  absl::StatusOr<std::string> UserHandle(const Person& person);
  // Records a login with the current name and role. Returns the user handle.
  absl::StatusOr<std::string> RecordLogin(const Person& person);

  // Users who have logged in, sorted by user name, after the name `after`: at
  // most `limit` whose user or display name contains `part`, ignoring case.
  absl::StatusOr<std::vector<UserRecord>> List(std::string_view part,
                                               std::string_view after,
                                               int limit);
  // NOT_FOUND: no user of that name has logged in.
  absl::StatusOr<UserRecord> Find(std::string_view username);
  // NOT_FOUND: no user with that uid has logged in.
  absl::StatusOr<UserRecord> Find(Uid uid);

 private:
  Database& database_;
  const Clock& clock_;
};

// Looks up in the directory a user who has logged in before. NOT_FOUND: not in
// the directory, or the user name now belongs to another uid; other errors are
// those of Directory::LookUp.
absl::StatusOr<Person> LookUp(Uid uid, UserStore* users, Directory* directory);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_USERS_USER_STORE_H_
