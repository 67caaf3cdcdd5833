// Two clusters behind one carme-frontend, all as programs.
#include <catch2/catch.hpp>
#include <regex>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/backend/clusters/two_clusters.h"
#include "tests/frontend/http_client.h"
#include "tests/support/servers/backend_process.h"
#include "tests/support/servers/frontend_process.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

using testing::WaitFor;

// Both clusters behind a carme-frontend, as a browser or a script uses them.
class TwoClusterPortal {
 public:
  frontend::testing::HttpAnswer Call(const std::string& method,
                                     const std::string& json,
                                     const std::string& cluster = "",
                                     const std::string& session = "") {
    const std::string header =
        cluster.empty() ? "" : absl::StrCat("Carme-Cluster: ", cluster, "\r\n");
    return frontend::testing::HttpClient(frontend_.port())
        .Ask(frontend::testing::Request(
            "POST", "/carme.v1." + method,
            absl::StrCat("Content-Type: application/json\r\n"
                         "Origin: https://carme.test\r\nCookie: __Host-carme=",
                         session.empty() ? site_.session_ : session, "\r\n",
                         header),
            json));
  }
  TwoClusters& site() { return site_; }
  int port() const { return frontend_.port(); }

 private:
  // [backend] or a table of [[clusters]] with a certificate of its authority.
  static std::string Table(BackendProcess* backend, const std::string& more) {
    const IssuedCertificate own = backend->Issue("URI:carme://frontend/dmz");
    return absl::StrCat(more, "address = \"", backend->clients_address(),
                        "\"\nca = \"", backend->ca_file(),
                        "\"\ncertificate = \"", own.certificate_file,
                        "\"\nkey = \"", own.key_file, "\"\n");
  }

  TwoClusters site_;
  FrontendProcess frontend_{
      absl::StrCat(Table(&site_.alpha_, "[backend]\ncluster = \"alpha\"\n"),
                   Table(&site_.beta_,
                         "[[clusters]]\nname = \"beta\"\n"
                         "jobs_domain = \"jobs.carme.test\"\n"))};
};

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("two clusters: one frontend serves both", "[backend]") {
  TwoClusterPortal portal;
  const std::string submit =
      R"({"spec":{"walltime":"600s"},"idempotencyKey":"one"})";
  CHECK(portal.Call("JobService/SubmitJob", submit, "gamma").status == 400);
  const auto unknown =
      portal.Call("JobService/SubmitJob", submit, "beta", std::string(43, 'x'));
  CHECK(unknown.status == 401);
  CHECK(Has(unknown.Header("set-cookie"), "Max-Age=0"));
  CHECK(Has(frontend::testing::HttpClient(portal.port())
                .Ask(frontend::testing::Request("GET", "/"))
                .body,
            "content=\"alpha,beta\""));

  const auto submitted = portal.Call("JobService/SubmitJob", submit, "beta");
  INFO(submitted.body);
  REQUIRE(submitted.status == 200);
  CHECK(Has(submitted.body, R"("cluster":"beta")"));
  CHECK_FALSE(Has(portal.Call("JobService/ListJobs", "{}", "alpha").body,
                  R"("cluster")"));
  CHECK(Has(portal.Call("JobService/ListJobs", "{}").body,
            R"("cluster":"beta")"));
  std::smatch id;
  REQUIRE(std::regex_search(submitted.body, id,
                            std::regex(R"j("id":"([a-z0-9]{16})")j")));
  const std::string open = absl::StrCat(R"({"jobId":")", id[1].str(), R"("})");
  CHECK(portal.Call("JobService/OpenApp", open).status == 404);
  CHECK(WaitFor([&] {
    return Has(portal.Call("JobService/OpenApp", open, "beta").body,
               ".jobs.carme.test/");
  }));
  // An administrators' rpc of a further cluster: its own directory decides.
  CHECK(portal.Call("MaintenanceService/EndMaintenance", "{}", "beta").status ==
        403);

  portal.site().beta_.Kill();
  const auto rest = portal.Call("JobService/ListJobs", "{}");
  CHECK(rest.status == 200);
  CHECK(Has(rest.body, R"("unreachableClusters":["beta"])"));
  const auto away = portal.Call("JobService/ListJobs", "{}", "beta");
  CHECK(away.status == 503);
  CHECK(away.Header("set-cookie").empty());
  CHECK(portal.Call("AuthService/Logout", "{}", "beta").status == 200);
  CHECK(portal.Call("JobService/ListJobs", "{}", "beta").status == 401);
}

}  // namespace
}  // namespace carme::backend
