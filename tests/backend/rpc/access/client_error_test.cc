#include "backend/rpc/access/client_error.h"

#include <catch2/catch.hpp>

#include "backend/store/database.h"
#include "backend/store/database_error.h"
#include "common/status.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

// What a second row of the same key gives.
absl::Status SameKeyTwice() {
  auto database = Database::Open(":memory:", {"CREATE TABLE t (k UNIQUE)"});
  REQUIRE_THAT(database, IsOk());
  return (*database)->Query([](Database& open) -> absl::Status {
    ASSIGN_OR_RETURN(Statement insert,
                     open.Prepare("INSERT INTO t VALUES (1), (1)"));
    return insert.Run();
  });
}

TEST_CASE("client error: hides messages of the database", "[rpc]") {
  const absl::Status twice = SameKeyTwice();
  REQUIRE(absl::IsAlreadyExists(twice));  // a code that refusals have, too
  CHECK(IsDatabaseError(twice));
  const absl::Status shown = ClientError(twice, {}, "templates");
  CHECK_THAT(shown, StatusIs(absl::StatusCode::kUnavailable));
  CHECK(shown.message() == "templates cannot be reached now; try again");
  CHECK_FALSE(IsDatabaseError(shown));
}

TEST_CASE("client error: hides files and sockets", "[rpc]") {
  for (const absl::Status& status :
       {absl::InternalError("open \"/var/lib/x\""),
        absl::UnavailableError("connect \"/run/y.sock\""),
        absl::UnknownError("z")}) {
    const absl::Status shown = ClientError(status, {}, "limits");
    CHECK_THAT(shown, StatusIs(absl::StatusCode::kUnavailable));
    CHECK(shown.message() == "limits cannot be reached now; try again");
  }
}

TEST_CASE("client error: passes refusals on unchanged", "[rpc]") {
  for (const absl::Status& status :
       {absl::OkStatus(), absl::AlreadyExistsError("there is one"),
        absl::ResourceExhaustedError("too many: expected at most 20"),
        absl::PermissionDeniedError("only managers")}) {
    CHECK_FALSE(IsDatabaseError(status));
    CHECK(ClientError(status, {}, "templates") == status);
  }
}

}  // namespace
}  // namespace carme::backend
