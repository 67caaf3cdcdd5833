#include "backend/carmectl/portal/portal_client.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/status_matchers.h"

namespace carme::carmectl {
namespace {

absl::Status ErrorFor(const std::string& cluster) {
  return PortalClient::Create({.portal = "https://carme.test",
                               .token = "carme_x",
                               .cluster = cluster})
      .status();
}

TEST_CASE("portal client: refuses a cluster that would be another header",
          "[backend]") {
  for (const char* name :
       {"beta\r\nAuthorization: Bearer x", "beta\n", "a b", "a,b"}) {
    CAPTURE(name);
    CHECK_THAT(ErrorFor(name), StatusIs(absl::StatusCode::kInvalidArgument,
                                        "invalid name of a cluster"));
  }
  CHECK_THAT(ErrorFor("beta"), IsOk());
  CHECK_THAT(ErrorFor(""), IsOk());
}

}  // namespace
}  // namespace carme::carmectl
