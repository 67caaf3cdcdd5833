// Reads one number from a database file that another part of a test has
// written. Fails the test if the file or the query is invalid.
#ifndef CARME_TESTS_SUPPORT_READ_NUMBER_H_
#define CARME_TESTS_SUPPORT_READ_NUMBER_H_

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "backend/store/database.h"
#include "common/status.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {

// `sql` must return at least one row, whose first column is the number.
inline int64_t ReadNumber(const std::string& path, std::string_view sql) {
  const auto database = Database::OpenReadOnly(path).value();
  int64_t number = -1;
  bool found = false;
  REQUIRE_THAT(database->Query([&](Database& self) -> absl::Status {
    ASSIGN_OR_RETURN(Statement row, self.Prepare(sql));
    ASSIGN_OR_RETURN(found, row.Step());
    if (found) number = row.Int(0);
    return absl::OkStatus();
  }),
               IsOk());
  REQUIRE(found);
  return number;
}

}  // namespace carme::backend

#endif  // CARME_TESTS_SUPPORT_READ_NUMBER_H_
