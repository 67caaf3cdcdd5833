#include "backend/identity/users/user_store.h"

#include <catch2/catch.hpp>
#include <memory>

#include "tests/support/fake_clock.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

struct Site {
  std::unique_ptr<Database> database =
      Database::Open(":memory:", Migrations()).value();
  FakeClock clock;
  UserStore users{database.get(), &clock};

  std::string Column(const std::string& column, uint32_t uid) {
    std::string value;
    REQUIRE_THAT(database->Query([&](Database& db) -> absl::Status {
      Statement read =
          db.Prepare("SELECT " + column + " FROM users WHERE uid=?1").value();
      REQUIRE(read.Bind(1, static_cast<int64_t>(uid)).Step().ok());
      value = read.Text(0);
      return absl::OkStatus();
    }),
                 IsOk());
    return value;
  }
};

Person Named(const std::string& name, uint32_t uid) {
  return {.username = name, .display_name = "Dr. " + name, .uid = Uid(uid)};
}

TEST_CASE("users: a reassigned name is removed from the old account",
          "[backend]") {
  Site site;
  REQUIRE_THAT(site.users.RecordLogin(Named("ada", 20001)), IsOk());
  REQUIRE_THAT(site.users.RecordLogin(Named("ada", 20009)), IsOk());
  CHECK(site.Column("username", 20001) == "#20001");
  CHECK(site.Column("username", 20009) == "ada");
}

TEST_CASE("users: the handle is random and permanent", "[backend]") {
  Site site;
  const std::string first = site.users.UserHandle(Named("ada", 20001)).value();
  CHECK(first.size() == 16);
  CHECK(site.users.RecordLogin(Named("ada-2", 20001)).value() == first);
  CHECK(site.users.UserHandle(Named("ada-2", 20001)).value() == first);
  CHECK(site.users.UserHandle(Named("bob", 20002)).value() != first);
}

TEST_CASE("users: reading a handle does not count as a login", "[backend]") {
  Site site;
  REQUIRE_THAT(site.users.UserHandle(Named("ada", 20001)), IsOk());
  CHECK(site.Column("last_login", 20001) == "0");
  REQUIRE_THAT(site.users.RecordLogin(Named("ada", 20001)), IsOk());
  const std::string first = site.Column("first_login", 20001);
  CHECK(first != "0");
  site.clock.Advance(absl::Hours(1));
  REQUIRE_THAT(site.users.RecordLogin(Named("ada", 20001)), IsOk());
  CHECK(site.Column("first_login", 20001) == first);
  CHECK(site.Column("last_login", 20001) > first);
}

// Returns the configured answer for each name.
class FixedDirectory : public Directory {
 public:
  absl::StatusOr<Person> answer = absl::NotFoundError("nobody");

  absl::StatusOr<PasswordCheck> CheckPassword(std::string_view,
                                              std::string_view) override {
    return absl::UnavailableError("not asked here");
  }
  absl::StatusOr<Person> LookUp(std::string_view name) override {
    asked = std::string(name);
    return answer;
  }
  absl::Status ChangePassword(std::string_view, std::string_view,
                              std::string_view) override {
    return absl::UnavailableError("not asked here");
  }
  bool ChangesPasswords() const override { return false; }
  std::vector<std::string> PasswordRules() const override { return {}; }
  std::string asked;
};

TEST_CASE("users: a uid is looked up and verified by its name", "[backend]") {
  Site site;
  FixedDirectory directory;
  CHECK(absl::IsNotFound(LookUp(Uid(20001), &site.users, &directory).status()));
  CHECK(directory.asked.empty());  // who never logged in has no name here
  REQUIRE_THAT(site.users.RecordLogin(Named("ada", 20001)), IsOk());
  CHECK(absl::IsNotFound(LookUp(Uid(20001), &site.users, &directory).status()));
  CHECK(directory.asked == "ada");
  directory.answer = Named("ada", 20009);  // the name is another's by now
  CHECK(absl::IsNotFound(LookUp(Uid(20001), &site.users, &directory).status()));
  directory.answer = absl::UnavailableError("away");
  CHECK(absl::IsUnavailable(
      LookUp(Uid(20001), &site.users, &directory).status()));
  directory.answer = Named("ada", 20001);
  CHECK(LookUp(Uid(20001), &site.users, &directory)->username == "ada");
}

}  // namespace
}  // namespace carme::backend
