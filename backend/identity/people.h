// Everybody who has ever passed the directory here, on the disk.
#ifndef CARME_BACKEND_IDENTITY_PEOPLE_H_
#define CARME_BACKEND_IDENTITY_PEOPLE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/identity/directory.h"
#include "backend/store/database.h"
#include "common/clock.h"

namespace carme::backend {

struct KnownPerson {
  Person person;  // without groups; as at the last log-in
  absl::Time last_login;
};

// Thread-safe. An account is its uid. A name that the directory gave to another
// uid is taken from the old row, which keeps "#UID" instead.
class People {
 public:
  static constexpr int kHandleBytes = 16;

  // Both outlive the object.
  People(Database* database, const Clock* clock)
      : database_(*database), clock_(*clock) {}

  // WebAuthn's user.id: random, and for ever the same. Somebody unknown gets a
  // row, with log-in times of zero: never.
  absl::StatusOr<std::string> Handle(const Person& person);
  // Records a log-in, and name and role as they are today. Gives the handle.
  absl::StatusOr<std::string> Touch(const Person& person);

  // Those who have logged in, by name, after the name `after`: at most `limit`
  // whose name or display name has `part` in it, in any case of letters.
  absl::StatusOr<std::vector<KnownPerson>> List(std::string_view part,
                                                std::string_view after,
                                                int limit);
  // NOT_FOUND: nobody of that name has logged in.
  absl::StatusOr<KnownPerson> Find(std::string_view username);
  // NOT_FOUND: nobody of that number has.
  absl::StatusOr<KnownPerson> Find(Uid uid);

 private:
  Database& database_;
  const Clock& clock_;
};

// Whom the directory has for an account that has logged in here. NOT_FOUND:
// nobody, or by now somebody else of that name; else as Directory::LookUp.
absl::StatusOr<Person> LookUp(Uid uid, People* people, Directory* directory);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_PEOPLE_H_
