#include "frontend/clusters/portal_clusters.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/status_matchers.h"

namespace carme::frontend {
namespace {

PortalCluster Named(const std::string& name) {
  return {.name = name, .jobs_domain = "", .backend = nullptr};
}

TEST_CASE("clusters: an unknown name is refused with the known ones",
          "[frontend]") {
  const PortalClusters clusters({Named("alpha"), Named("beta")});
  CHECK_THAT(clusters.Find("gamma"),
             StatusIs(absl::StatusCode::kInvalidArgument,
                      "\"gamma\": expected one of: alpha, beta"));
  CHECK_THAT(clusters.Find("a\r\nb"),
             StatusIs(absl::StatusCode::kInvalidArgument, "\"?\": expected"));
  CHECK_THAT(clusters.Find(""), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_CASE("clusters: a portal with one cluster has no names", "[frontend]") {
  const PortalClusters clusters({Named("")});
  CHECK_THAT(clusters.Find("alpha"),
             StatusIs(absl::StatusCode::kInvalidArgument, "one cluster"));
  CHECK_THAT(clusters.Find(""), StatusIs(absl::StatusCode::kInvalidArgument));
  CHECK(clusters.Names().empty());
}

TEST_CASE("clusters: the first one is that of the identity backend",
          "[frontend]") {
  const PortalClusters clusters({Named("alpha"), Named("beta")});
  REQUIRE_THAT(clusters.Find("beta"), IsOk());
  CHECK((*clusters.Find("beta"))->name == "beta");
  CHECK(clusters.IsFurther(**clusters.Find("beta")));
  CHECK_FALSE(clusters.IsFurther(**clusters.Find("alpha")));
  CHECK(*clusters.Find("alpha") == &clusters.identity());
  CHECK(clusters.Names() == "alpha,beta");
}

}  // namespace
}  // namespace carme::frontend
