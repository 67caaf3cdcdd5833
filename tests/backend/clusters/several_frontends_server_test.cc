// Two frontends behind one name, with one backend, all as programs. A load
// balancer may send each request to either.
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

class TwoFrontends {
 public:
  static frontend::testing::HttpAnswer Call(const FrontendProcess& frontend,
                                            const std::string& method,
                                            const std::string& json,
                                            const std::string& session) {
    return frontend::testing::HttpClient(frontend.port())
        .Ask(frontend::testing::Request(
            "POST", "/carme.v1." + method,
            absl::StrCat("Content-Type: application/json\r\n"
                         "Origin: https://carme.test\r\nCookie: __Host-carme=",
                         session, "\r\n"),
            json));
  }

 private:
  std::string Table() {
    const IssuedCertificate own = backend_.Issue("URI:carme://frontend/dmz");
    return absl::StrCat("[backend]\naddress = \"", backend_.clients_address(),
                        "\"\nca = \"", backend_.ca_file(),
                        "\"\ncertificate = \"", own.certificate_file,
                        "\"\nkey = \"", own.key_file, "\"\n");
  }

 public:
  impersonator::ImpersonatorProcess impersonator_;
  BackendProcess backend_{impersonator_.socket(), kApp};
  FrontendProcess first_{Table()};
  FrontendProcess second_{Table()};
};

TEST_CASE("several frontends: a session that ended at one is refused by all",
          "[backend]") {
  TwoFrontends site;
  const std::string session = site.backend_.LogIn("ada", PasswordOf("ada"));
  for (const FrontendProcess* frontend : {&site.first_, &site.second_}) {
    CHECK(TwoFrontends::Call(*frontend, "AuthService/GetSession", "{}", session)
              .status == 200);
  }
  CHECK(TwoFrontends::Call(site.first_, "AuthService/Logout", "{}", session)
            .status == 200);
  for (const FrontendProcess* frontend : {&site.second_, &site.first_}) {
    CHECK(TwoFrontends::Call(*frontend, "AuthService/GetSession", "{}", session)
              .status == 401);
  }
}

TEST_CASE("several frontends: a repeated submission at another is one job",
          "[backend]") {
  TwoFrontends site;
  const std::string session = site.backend_.LogIn("ada", PasswordOf("ada"));
  const std::string submit =
      R"({"spec":{"walltime":"600s"},"idempotencyKey":"one"})";
  const std::regex id(R"j("id":"([a-z0-9]{16})")j");
  std::smatch first;
  std::smatch second;
  frontend::testing::HttpAnswer answer;
  REQUIRE(WaitFor([&] {  // Slurm was not polled yet
    answer = TwoFrontends::Call(site.first_, "JobService/SubmitJob", submit,
                                session);
    return answer.status == 200;
  }));
  REQUIRE(std::regex_search(answer.body, first, id));
  const auto again =
      TwoFrontends::Call(site.second_, "JobService/SubmitJob", submit, session);
  INFO(again.body);
  REQUIRE(again.status == 200);
  REQUIRE(std::regex_search(again.body, second, id));
  CHECK(first[1].str() == second[1].str());
  // The second one opens the app of the job and stops it.
  const std::string job =
      absl::StrCat(R"({"jobId":")", first[1].str(), R"("})");
  CHECK(WaitFor([&] {
    return TwoFrontends::Call(site.second_, "JobService/OpenApp", job, session)
               .status == 200;
  }));
  CHECK(TwoFrontends::Call(site.second_, "JobService/StopJob", job, session)
            .status == 200);
}

}  // namespace
}  // namespace carme::backend
