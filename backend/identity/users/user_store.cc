#include "backend/identity/users/user_store.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/identity/role.h"
#include "backend/identity/users/messages.h"
#include "backend/store/row_mapper.h"
#include "common/protobuf/message_error.h"
#include "common/random.h"
#include "common/status.h"

namespace carme::backend {
namespace {

int64_t Number(Uid uid) { return static_cast<int64_t>(uid.value()); }

// REQUIRES: in a transaction.
absl::Status FreeName(Database& db, const Person& person) {
  ASSIGN_OR_RETURN(Statement rename,
                   db.Prepare("UPDATE users SET username='#' || uid "
                              "WHERE username=?1 AND uid<>?2"));
  return rename.Bind(1, person.username).Bind(2, Number(person.uid)).Run();
}

// Inserts the row unless it exists; returns the user handle. REQUIRES: in a
// transaction.
absl::StatusOr<std::string> EnsureRow(Database& db, const Person& person) {
  RETURN_IF_ERROR(FreeName(db, person));
  ASSIGN_OR_RETURN(Statement insert,
                   db.Prepare("INSERT INTO users (uid, username, "
                              "display_name, role, handle, first_login, "
                              "last_login) VALUES (?1,?2,?3,?4,?5,0,0) "
                              "ON CONFLICT (uid) DO NOTHING"));
  RETURN_IF_ERROR(insert.Bind(1, Number(person.uid))
                      .Bind(2, person.username)
                      .Bind(3, person.display_name)
                      .Bind(4, RoleName(person.role))
                      .BindBlob(5, RandomBytes(UserStore::kHandleBytes))
                      .Run());
  ASSIGN_OR_RETURN(Statement read,
                   db.Prepare("SELECT handle FROM users WHERE uid=?1"));
  ASSIGN_OR_RETURN(const bool found, read.Bind(1, Number(person.uid)).Step());
  if (!found) return absl::InternalError("a person's row is missing");
  return read.Blob(0);
}

absl::Status UpdateLogin(Database& db, const Person& person, absl::Time now) {
  ASSIGN_OR_RETURN(
      Statement write,
      db.Prepare("UPDATE users SET username=?2, display_name=?3, role=?4, "
                 "last_login=?5, first_login="
                 "CASE first_login WHEN 0 THEN ?5 ELSE first_login END "
                 "WHERE uid=?1"));
  return write.Bind(1, Number(person.uid))
      .Bind(2, person.username)
      .Bind(3, person.display_name)
      .Bind(4, RoleName(person.role))
      .Bind(5, absl::ToUnixMicros(now))
      .Run();
}

const RowMapper<UserRecord>& UserColumns() {
  static const auto* const columns = new RowMapper<UserRecord>({
      {"uid", Member(&UserRecord::person, &Person::uid)},
      {"username", Member(&UserRecord::person, &Person::username)},
      {"display_name", Member(&UserRecord::person, &Person::display_name)},
      ConvertedColumn<UserRecord, std::string>(
          "role",
          [](const UserRecord& row) {
            return std::string(RoleName(row.person.role));
          },
          [](const std::string& role, UserRecord* row) {
            row->person.role = RoleNamed(role);
          }),
      {"last_login", &UserRecord::last_login},
  });
  return *columns;
}

// Users that have logged in.
std::string SelectUsers(std::string_view rest) {
  return absl::StrCat("SELECT ", UserColumns().list(),
                      " FROM users WHERE last_login>0 AND ", std::string(rest));
}

absl::StatusOr<UserRecord> ReadUser(Statement& row,
                                    const ErrorTemplate& missing) {
  ASSIGN_OR_RETURN(std::optional<UserRecord> user,
                   UserColumns().ReadFirst(row));
  if (!user) return MakeError(missing);
  return *std::move(user);
}

}  // namespace

absl::StatusOr<std::string> UserStore::UserHandle(const Person& person) {
  std::string handle;
  RETURN_IF_ERROR(database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(handle, EnsureRow(db, person));
    return absl::OkStatus();
  }));
  return handle;
}

absl::StatusOr<std::string> UserStore::RecordLogin(const Person& person) {
  std::string handle;
  RETURN_IF_ERROR(database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(handle, EnsureRow(db, person));
    return UpdateLogin(db, person, clock_.Now());
  }));
  return handle;
}

absl::StatusOr<std::vector<UserRecord>> UserStore::List(std::string_view part,
                                                        std::string_view after,
                                                        int limit) {
  std::vector<UserRecord> list;
  RETURN_IF_ERROR(database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement row,
        db.Prepare(SelectUsers("username>?2 AND "
                               "(instr(lower(username), lower(?1))>0 OR "
                               "instr(lower(display_name), lower(?1))>0) "
                               "ORDER BY username LIMIT ?3")));
    row.Bind(1, part).Bind(2, after).Bind(3, static_cast<int64_t>(limit));
    ASSIGN_OR_RETURN(list, UserColumns().ReadAll(row));
    return absl::OkStatus();
  }));
  return list;
}

absl::StatusOr<UserRecord> UserStore::Find(std::string_view username) {
  UserRecord known;
  RETURN_IF_ERROR(database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement row, db.Prepare(SelectUsers("username=?1")));
    row.Bind(1, username);
    ASSIGN_OR_RETURN(known, ReadUser(row, user_messages::kNameUnknown));
    return absl::OkStatus();
  }));
  return known;
}

absl::StatusOr<UserRecord> UserStore::Find(Uid uid) {
  UserRecord known;
  RETURN_IF_ERROR(database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement row, db.Prepare(SelectUsers("uid=?1")));
    row.Bind(1, Number(uid));
    ASSIGN_OR_RETURN(known, ReadUser(row, user_messages::kUidUnknown));
    return absl::OkStatus();
  }));
  return known;
}

absl::StatusOr<Person> LookUp(Uid uid, UserStore* users, Directory* directory) {
  ASSIGN_OR_RETURN(const UserRecord known, users->Find(uid));
  ASSIGN_OR_RETURN(Person person, directory->LookUp(known.person.username));
  if (person.uid == uid) return person;
  return MakeError(user_messages::kNameReassigned);
}

}  // namespace carme::backend
