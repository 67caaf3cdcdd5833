// Users and requests that the impersonator refuses.
#include <sys/socket.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/privileged/protocol/frame_io.h"
#include "tests/backend/privileged/impersonator_process.h"
#include "tests/backend/privileged/valid_request.h"
#include "tests/support/status_matchers.h"

namespace carme::impersonator {
namespace {

using privileged::v1::OUTCOME_OK;
using privileged::v1::OUTCOME_REFUSED;
using privileged::v1::OUTCOME_UNSPECIFIED;
using privileged::v1::Response;

void CheckRefused(const ImpersonatorProcess& impersonator,
                  const Response& response, const std::string& why) {
  CHECK(response.outcome() == OUTCOME_REFUSED);
  CHECK(response.slurm_job_id() == 0);
  CHECK_THAT(response.message(), Catch::Contains(why));
  const auto lines = impersonator.AuditLines();
  REQUIRE_FALSE(lines.empty());
  CHECK_THAT(lines.back(), Catch::Contains("decision=refuse"));
}

TEST_CASE("impersonator: refuses uid 0", "[backend]") {
  const ImpersonatorProcess impersonator;
  CheckRefused(impersonator, impersonator.Submit("root", 0), "is root");
  CheckRefused(impersonator, impersonator.Submit("ada", 0), "is root");
  CheckRefused(impersonator, impersonator.Submit("root", 20001), "is root");
}

TEST_CASE("impersonator: refuses users outside the policy", "[backend]") {
  const ImpersonatorProcess impersonator(
      "min_uid = 20002\ndenied_users = [\"bob\"]\n");
  CheckRefused(impersonator, impersonator.Submit("ada", 20001), "min_uid");
  CheckRefused(impersonator, impersonator.Submit("bob", 20002), "denied_users");
  CheckRefused(impersonator, impersonator.Submit("eve", 20004),
               "not in allowed_group \"carme-users\"");
  CheckRefused(impersonator, impersonator.Submit("nobody", 65534),
               "not in allowed_group");
}

TEST_CASE("impersonator: refuses a name with another uid", "[backend]") {
  const ImpersonatorProcess impersonator;
  CheckRefused(impersonator, impersonator.Submit("ada", 20002),
               "has uid 20001: expected 20002");
  CheckRefused(impersonator, impersonator.Submit("nosuchuser", 20001),
               "does not exist");
}

TEST_CASE("impersonator: refuses scripts instead of names", "[backend]") {
  const ImpersonatorProcess impersonator;
  for (const std::string name :
       {"ada; touch /tmp/x", "$(reboot)", "ada\nroot", "`id`"}) {
    CheckRefused(impersonator, impersonator.Submit(name, 20001), "\"user\"");
  }
  auto request = ValidSubmit();
  request.mutable_submit()->set_partition("main --uid=0");
  CheckRefused(impersonator, impersonator.Ask(request), "\"partition\"");
}

TEST_CASE("impersonator: refuses a peer that is not the backend", "[backend]") {
  const ImpersonatorProcess impersonator;
  struct stat info {};
  REQUIRE(stat(impersonator.socket().c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0660);
  CHECK(info.st_uid == 0);
  CHECK(info.st_gid == kBackendUid);
  CHECK_FALSE(impersonator.Connect(20001).valid());
  // Also if the socket's mode has been opened.
  REQUIRE(chmod(impersonator.socket().c_str(), 0666) == 0);
  for (const uid_t uid : {uid_t{0}, uid_t{20001}}) {
    const UniqueFd fd = impersonator.Connect(uid);
    REQUIRE(fd.valid());
    Response response;
    const auto answer =
        ReadFrame(fd.get(), absl::Now() + testing::kWaitTimeout);
    REQUIRE_THAT(answer, IsOk());
    REQUIRE(response.ParseFromString(*answer));
    CHECK(response.outcome() == OUTCOME_REFUSED);
    CHECK_THAT(impersonator.Log(),
               Catch::Contains(absl::StrCat("peer_uid=", uid)));
  }
}

TEST_CASE("impersonator: refuses invalid requests", "[backend]") {
  const ImpersonatorProcess impersonator;
  CheckRefused(impersonator, impersonator.Exchange("GET / HTTP/1.1\r\n\r\n"),
               "frame of");
  CheckRefused(impersonator,
               impersonator.Exchange(std::string("\0\1\0\1", 4) +
                                     std::string(65537, 'x')),
               "frame of 65537 bytes");
  CheckRefused(impersonator, impersonator.Exchange(EncodeFrame("garbage")),
               "invalid request");
  CHECK(impersonator.Submit("nosuchuser", 1).outcome() == OUTCOME_REFUSED);
}

TEST_CASE("impersonator: silent and slow clients block no others",
          "[backend]") {
  const ImpersonatorProcess impersonator("max_operations = 4\n");
  std::vector<UniqueFd> silent;
  // A request that had to wait for one of them would wait for two seconds. On a
  // busy machine another request is sometimes as slow.
  bool at_once = false;
  for (int round = 0; round < 20 && !at_once; ++round) {
    silent.clear();
    for (int i = 0; i < 3; ++i) silent.push_back(impersonator.Connect());
    REQUIRE(send(silent[0].get(), "\0\0", 2, 0) == 2);
    const absl::Time start = absl::Now();
    CHECK(impersonator.Submit("nosuchuser", 1).outcome() == OUTCOME_REFUSED);
    at_once = absl::Now() - start < absl::Seconds(1);
  }
  CHECK(at_once);
  // With every slot taken, the next one waits for no longer than a read may.
  silent.push_back(impersonator.Connect());
  CHECK(impersonator.Submit("nosuchuser", 1).outcome() == OUTCOME_REFUSED);
  // A late client gets a response, and its slot is free.
  Response response;
  const auto answer =
      ReadFrame(silent[0].get(), absl::Now() + testing::kWaitTimeout);
  REQUIRE_THAT(answer, IsOk());
  REQUIRE(response.ParseFromString(*answer));
  CHECK_THAT(response.message(), Catch::Contains("incomplete at the deadline"));
}

TEST_CASE("impersonator: a truncated request changes nothing", "[backend]") {
  const ImpersonatorProcess impersonator;
  const std::string frame = EncodeFrame(ValidSubmit().SerializeAsString());
  {
    const UniqueFd fd = impersonator.Connect();
    REQUIRE(send(fd.get(), frame.data(), frame.size() - 1, 0) > 0);
  }
  REQUIRE(WaitFor([&] { return impersonator.AuditLines().size() == 1; }));
  CHECK_THAT(impersonator.AuditLines()[0], Catch::Contains("truncated"));
}

TEST_CASE("impersonator: another process cannot take its socket", "[backend]") {
  const ImpersonatorProcess impersonator;
  const std::string config =
      impersonator.socket().substr(0, impersonator.socket().rfind("/run")) +
      "/config";
  CHECK_THAT(
      OutputOf(absl::StrCat(CARME_IMPERSONATOR, " --config ", config, " 2>&1")),
      Catch::Contains("another process listens"));
  CHECK(impersonator.Submit("nosuchuser", 1).outcome() == OUTCOME_REFUSED);
}

TEST_CASE("impersonator: starts as root only, for a peer that is not root",
          "[backend]") {
  const ImpersonatorProcess impersonator;
  const std::string config =
      impersonator.socket().substr(0, impersonator.socket().rfind("/run")) +
      "/config";
  CHECK_THAT(
      OutputOf(absl::StrCat("setpriv --reuid 64101 --regid 64101 "
                            "--clear-groups ",
                            CARME_IMPERSONATOR, " --config ", config, " 2>&1")),
      Catch::Contains("expected root"));
}

}  // namespace
}  // namespace carme::impersonator
