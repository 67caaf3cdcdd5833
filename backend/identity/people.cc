#include "backend/identity/people.h"

#include "backend/identity/role.h"
#include "common/random.h"
#include "common/status.h"

namespace carme::backend {
namespace {

int64_t Number(Uid uid) { return static_cast<int64_t>(uid.value()); }

// REQUIRES: in a transaction.
absl::Status FreeName(Database& db, const Person& person) {
  ASSIGN_OR_RETURN(Statement rename,
                   db.Prepare("UPDATE people SET username='#' || uid "
                              "WHERE username=?1 AND uid<>?2"));
  return rename.Bind(1, person.username).Bind(2, Number(person.uid)).Run();
}

// Makes the row, or leaves the one that is there. REQUIRES: in a transaction.
absl::StatusOr<std::string> Ensure(Database& db, const Person& person) {
  RETURN_IF_ERROR(FreeName(db, person));
  ASSIGN_OR_RETURN(Statement insert,
                   db.Prepare("INSERT INTO people (uid, username, "
                              "display_name, role, handle, first_login, "
                              "last_login) VALUES (?1,?2,?3,?4,?5,0,0) "
                              "ON CONFLICT (uid) DO NOTHING"));
  RETURN_IF_ERROR(insert.Bind(1, Number(person.uid))
                      .Bind(2, person.username)
                      .Bind(3, person.display_name)
                      .Bind(4, RoleName(person.role))
                      .BindBlob(5, RandomBytes(People::kHandleBytes))
                      .Run());
  ASSIGN_OR_RETURN(Statement read,
                   db.Prepare("SELECT handle FROM people WHERE uid=?1"));
  ASSIGN_OR_RETURN(const bool found, read.Bind(1, Number(person.uid)).Step());
  if (!found) return absl::InternalError("a person's row is missing");
  return read.Blob(0);
}

absl::Status RecordLogin(Database& db, const Person& person, absl::Time now) {
  ASSIGN_OR_RETURN(
      Statement write,
      db.Prepare("UPDATE people SET username=?2, display_name=?3, role=?4, "
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

KnownPerson KnownOf(const Statement& row) {
  return {.person = {.username = row.Text(1),
                     .display_name = row.Text(2),
                     .uid = Uid(static_cast<uint32_t>(row.Int(0))),
                     .role = RoleNamed(row.Text(3))},
          .last_login = absl::FromUnixMicros(row.Int(4))};
}

}  // namespace

absl::StatusOr<std::string> People::Handle(const Person& person) {
  std::string handle;
  RETURN_IF_ERROR(database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(handle, Ensure(db, person));
    return absl::OkStatus();
  }));
  return handle;
}

absl::StatusOr<std::string> People::Touch(const Person& person) {
  std::string handle;
  RETURN_IF_ERROR(database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(handle, Ensure(db, person));
    return RecordLogin(db, person, clock_.Now());
  }));
  return handle;
}

absl::StatusOr<std::vector<KnownPerson>> People::List(std::string_view part,
                                                      std::string_view after,
                                                      int limit) {
  std::vector<KnownPerson> list;
  RETURN_IF_ERROR(database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement row,
        db.Prepare("SELECT uid, username, display_name, role, last_login "
                   "FROM people WHERE last_login>0 AND username>?2 AND "
                   "(instr(lower(username), lower(?1))>0 OR "
                   "instr(lower(display_name), lower(?1))>0) "
                   "ORDER BY username LIMIT ?3"));
    row.Bind(1, part).Bind(2, after).Bind(3, static_cast<int64_t>(limit));
    while (true) {
      ASSIGN_OR_RETURN(const bool more, row.Step());
      if (!more) return absl::OkStatus();
      list.push_back(KnownOf(row));
    }
  }));
  return list;
}

absl::StatusOr<KnownPerson> People::Find(std::string_view username) {
  KnownPerson known;
  RETURN_IF_ERROR(database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement row,
        db.Prepare("SELECT uid, username, display_name, role, last_login "
                   "FROM people WHERE last_login>0 AND username=?1"));
    ASSIGN_OR_RETURN(const bool found, row.Bind(1, username).Step());
    if (!found) return absl::NotFoundError("nobody of that name has logged in");
    known = KnownOf(row);
    return absl::OkStatus();
  }));
  return known;
}

absl::StatusOr<KnownPerson> People::Find(Uid uid) {
  KnownPerson known;
  RETURN_IF_ERROR(database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement row,
        db.Prepare("SELECT uid, username, display_name, role, last_login "
                   "FROM people WHERE last_login>0 AND uid=?1"));
    ASSIGN_OR_RETURN(const bool found, row.Bind(1, Number(uid)).Step());
    if (!found) {
      return absl::NotFoundError("nobody of that number has logged in");
    }
    known = KnownOf(row);
    return absl::OkStatus();
  }));
  return known;
}

absl::StatusOr<Person> LookUp(Uid uid, People* people, Directory* directory) {
  ASSIGN_OR_RETURN(const KnownPerson known, people->Find(uid));
  ASSIGN_OR_RETURN(Person person, directory->LookUp(known.person.username));
  if (person.uid == uid) return person;
  return absl::NotFoundError("the name is somebody else's by now");
}

}  // namespace carme::backend
