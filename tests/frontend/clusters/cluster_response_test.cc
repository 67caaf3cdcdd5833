#include "frontend/clusters/cluster_response.h"

#include <catch2/catch.hpp>

#include "carme/v1/auth.pb.h"
#include "carme/v1/jobs.pb.h"
#include "tests/support/status_matchers.h"

namespace carme::frontend {
namespace {

const PortalCluster kBetaCluster{
    .name = "beta", .jobs_domain = "jobs-beta.test", .backend = nullptr};

TEST_CASE("cluster response: a session is refused", "[frontend]") {
  CHECK_THAT(CheckFurther(kBetaCluster, true, v1::VerifyFactorResponse()),
             StatusIs(absl::StatusCode::kInternal,
                      "cluster \"beta\" returned an invalid response"));
  CHECK_THAT(CheckFurther(kBetaCluster, false, v1::VerifyFactorResponse()),
             IsOk());
}

TEST_CASE("cluster response: an address outside the jobs domain is refused",
          "[frontend]") {
  v1::OpenAppResponse response;
  for (const char* url :
       {"", "https://carme.test/", "https://xjobs-beta.test/"}) {
    CAPTURE(url);
    response.set_url(url);
    CHECK_THAT(CheckFurther(kBetaCluster, false, response),
               StatusIs(absl::StatusCode::kInternal, "jobs-beta.test"));
  }
  response.set_url("https://a.jobs-beta.test/.carme/open?ticket=t");
  CHECK_THAT(CheckFurther(kBetaCluster, false, response), IsOk());
}

TEST_CASE("cluster response: replaces the cluster of each job", "[frontend]") {
  v1::WatchJobsResponse watched;
  watched.add_jobs()->set_cluster("alpha");
  watched.add_jobs();
  SetCluster("beta", &watched);
  CHECK(watched.jobs(0).cluster() == "beta");
  CHECK(watched.jobs(1).cluster() == "beta");
  v1::SubmitJobResponse submitted;
  SetCluster("beta", &submitted);
  CHECK_FALSE(submitted.has_job());
  submitted.mutable_job()->set_id("j");
  SetCluster("beta", &submitted);
  CHECK(submitted.job().cluster() == "beta");
}

}  // namespace
}  // namespace carme::frontend
