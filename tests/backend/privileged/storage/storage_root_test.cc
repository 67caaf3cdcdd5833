// Reading how full a user's storage is, as that user, on the real cluster.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/privileged/protocol/frame_io.h"
#include "backend/slurm/impersonator/impersonator_client.h"
#include "common/file.h"
#include "tests/backend/privileged/impersonator_process.h"
#include "tests/backend/privileged/valid_request.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::impersonator {
namespace {

using privileged::v1::OUTCOME_EXHAUSTED;
using privileged::v1::OUTCOME_OK;
using privileged::v1::OUTCOME_REFUSED;
using privileged::v1::Response;

std::string Area(const std::string& name, const std::string& path,
                 const std::string& rest) {
  return absl::StrCat("[[storage]]\nname = \"", name, "\"\npath = \"", path,
                      "\"\n", rest, "\n");
}

// Runs `script` with /bin/sh.
std::string Script(const std::string& name, const std::string& script) {
  return Area(name, "/",
              absl::StrCat("kind = \"command\"\ncommand = "
                           "[\"/bin/sh\", \"-c\", '''",
                           script, "''']"));
}

std::string Home() { return Area("Home", "{home}", "kind = \"filesystem\""); }

TEST_CASE("storage: refuses users that the policy refuses", "[backend]") {
  const ImpersonatorProcess impersonator(Home());
  CHECK(impersonator.ReadStorage("root", 0).outcome() == OUTCOME_REFUSED);
  CHECK(impersonator.ReadStorage("eve", 20004).outcome() == OUTCOME_REFUSED);
  CHECK(impersonator.ReadStorage("ada", 20002).outcome() == OUTCOME_REFUSED);
  CHECK(impersonator.ReadStorage("nosuchuser", 1).outcome() == OUTCOME_REFUSED);
  const auto lines = impersonator.AuditLines();
  REQUIRE(lines.size() == 4);
  CHECK_THAT(lines[0], Catch::Contains("operation=read_storage object=storage "
                                       "decision=refuse result=refused"));
}

TEST_CASE("storage: each socket refuses the other's operations", "[backend]") {
  const ImpersonatorProcess impersonator(Home());
  CHECK(impersonator.Ask(ValidReadStorage()).outcome() == OUTCOME_REFUSED);
  const Response submit =
      impersonator.Exchange(EncodeFrame(ValidSubmit().SerializeAsString()),
                            testing::kWaitTimeout, kStorageSocketSuffix);
  CHECK(submit.outcome() == OUTCOME_REFUSED);
  CHECK_THAT(submit.message(), Catch::Contains("expected read_storage"));
  CHECK(OutputOf("squeue -h").empty());
}

TEST_CASE("storage: serves only the backend's user", "[backend]") {
  const ImpersonatorProcess impersonator(Home());
  CHECK_FALSE(impersonator.Connect(20001, kStorageSocketSuffix).valid());
  CHECK(impersonator.ReadStorage("ada", 20001).outcome() == OUTCOME_OK);
}

TEST_CASE("storage: is rate limited", "[backend]") {
  const ImpersonatorProcess impersonator(
      absl::StrCat("operations_per_minute = 4\n", Home()));
  CHECK(impersonator.ReadStorage("ada", 20001).outcome() == OUTCOME_OK);
  CHECK(impersonator.ReadStorage("ada", 20001).outcome() == OUTCOME_EXHAUSTED);
  CHECK(impersonator.ReadStorage("bob", 20002).outcome() == OUTCOME_OK);
}

TEST_CASE(
    "storage: a program runs as the user, without capabilities or environment",
    "[backend]") {
  const ImpersonatorProcess impersonator(
      Script("a",
             "echo used_bytes=$(id -u); echo limit_bytes=$(id -g); "
             "echo used_files=$(env | wc -l); "
             "echo limit_files=$(sed -n s/NoNewPrivs:.//p "
             "/proc/self/status)") +
      Script("b",
             "echo used_bytes=$(grep -c "
             "'^Cap\\(Eff\\|Prm\\|Inh\\|Amb\\):.0000000000000000$' "
             "/proc/self/status); "
             "echo used_files=$(ls /proc/self/fd | wc -l)"));
  const Response response = impersonator.ReadStorage("ada", 20001);
  INFO(response.DebugString());
  REQUIRE(response.storage_size() == 2);
  CHECK(response.storage(0).used_bytes() == 20001);
  CHECK(response.storage(0).limit_bytes() == 20001);
  // PATH and LC_ALL, and PWD, which sh adds.
  CHECK(response.storage(0).used_files() == 3);
  CHECK(response.storage(0).limit_files() == 1);
  CHECK(response.storage(1).used_bytes() == 4);
  CHECK(response.storage(1).used_files() == 4);
  CHECK_THAT(impersonator.AuditLines()[0],
             Catch::Contains("decision=allow result=ok"));
}

TEST_CASE("storage: does not run a program that a user can change",
          "[backend]") {
  const std::string program = "/home/ada/quota";
  REQUIRE_THAT(WriteFile(program, "#!/bin/sh\necho used_bytes=1\n", 0755),
               IsOk());
  const ImpersonatorProcess impersonator(
      Area("Own", "/",
           absl::StrCat("kind = \"command\"\ncommand = [\"", program, "\"]")));
  const Response response = impersonator.ReadStorage("ada", 20001);
  unlink(program.c_str());
  REQUIRE(response.storage_size() == 1);
  CHECK(response.storage(0).problem() ==
        "The program that reports the usage cannot be run.");
  CHECK_THAT(impersonator.AuditLines()[0],
             Catch::Contains("belongs to uid 20001"));
}

TEST_CASE("storage: an area that hangs does not affect others", "[backend]") {
  const ImpersonatorProcess impersonator("storage_timeout_s = 3\n" +
                                         Script("Hangs", "sleep 986") + Home());
  const Response response = impersonator.ReadStorage("ada", 20001);
  INFO(response.DebugString());
  REQUIRE(response.storage_size() == 2);
  CHECK(response.storage(0).problem() == "The file system does not respond.");
  CHECK(response.storage(1).limit_bytes() > 0);
  CHECK(WaitFor([] { return OutputOf("pgrep -f '^sleep 986'").empty(); }));
}

TEST_CASE("storage: readings that hang do not block submissions", "[backend]") {
  const EndJobs end;
  const ImpersonatorProcess impersonator(
      "max_operations = 1\nstorage_timeout_s = 60\n" +
      Script("Hangs", "sleep 985"));
  const std::string frame = EncodeFrame(ValidReadStorage().SerializeAsString());
  std::vector<UniqueFd> asking;
  for (int i = 0; i < 6; ++i) {
    asking.push_back(impersonator.Connect(kBackendUid, kStorageSocketSuffix));
    REQUIRE(write(asking.back().get(), frame.data(), frame.size()) > 0);
  }
  const auto sleepers = [] {
    return OutputOf("pgrep -c -u ada -f '^sleep 985'");
  };
  CHECK(WaitFor([&] { return sleepers() == "4\n"; }));  // and never more
  CHECK(impersonator.Submit("bob", 20002).outcome() == OUTCOME_OK);
  CHECK(sleepers() == "4\n");
  // Those that had to wait come next.
  CHECK(WaitFor([&] {
    OutputOf("pkill -u ada -f '^sleep 985'");
    return impersonator.AuditLines().size() == 7;
  }));
}

TEST_CASE("storage: readings die with the impersonator's executor",
          "[backend]") {
  const ImpersonatorProcess impersonator("storage_timeout_s = 60\n" +
                                         Script("Hangs", "sleep 984; true"));
  const std::string frame = EncodeFrame(ValidReadStorage().SerializeAsString());
  const UniqueFd fd = impersonator.Connect(kBackendUid, kStorageSocketSuffix);
  REQUIRE(write(fd.get(), frame.data(), frame.size()) > 0);
  const auto sleeper = [] { return OutputOf("pgrep -f '^sleep 984'"); };
  REQUIRE(WaitFor([&] { return !sleeper().empty(); }));
  // The executor is the parent of the user's reader, which is that of the
  // area's process, which is that of the program.
  OutputOf(
      "parent() { ps -o ppid= -p $1 | tr -d ' '; }; "
      "pid=$(pgrep -f '^sleep 984' | head -1); "
      "while [ \"$(ps -o user= -p $pid | tr -d ' ')\" = ada ]; do "
      "pid=$(parent $pid); done; kill -KILL $pid");
  CHECK(WaitFor([&] { return sleeper().empty(); }));
  CHECK(WaitFor([&] { return impersonator.AuditLines().size() == 1; }));
}

TEST_CASE("storage: figures, quotas and groups through the client",
          "[backend]") {
  const ImpersonatorProcess impersonator(
      Home() + Area("Quota", "/proc", "kind = \"quota\"") +
      Area("{group}", "/home",
           "kind = \"filesystem\"\ngroup_prefix = \"carme-\"") +
      Area("{group}", "/nosuch/{group}",
           "kind = \"filesystem\"\ngroup_prefix = \"carme-\"") +
      Area("Work", "/groups/{user}",
           "kind = \"command\"\nformat = \"beegfs\"\ncommand = "
           "[\"/bin/echo\", \"{user},{uid},10,20,3,unlimited\"]"));
  backend::ImpersonatorClient client(
      {.socket = impersonator.socket(), .timeout = testing::kWaitTimeout});
  const AsUser backend(kBackendUid);
  const auto areas = client.ReadStorageAsUser({"ada", Uid(20001)}, "r1");
  INFO(areas.status().ToString());
  REQUIRE_THAT(areas, IsOk());
  REQUIRE(areas->size() == 4);
  CHECK(areas->at(0).name == "Home");
  CHECK(areas->at(0).path == "/home/ada");
  CHECK(areas->at(0).shared);
  CHECK(areas->at(0).bytes.limit > 0);
  CHECK(areas->at(1).problem == "This file system has no quota for you.");
  CHECK(areas->at(2).name == "carme-users");
  CHECK(areas->at(3).path == "/groups/ada");
  CHECK(areas->at(3).bytes.used == 10);
  CHECK(areas->at(3).bytes.limit == 20);
  CHECK(areas->at(3).files.used == 3);
  CHECK(areas->at(3).files.limit == 0);
  CHECK_FALSE(areas->at(3).grace_ends.has_value());
}

TEST_CASE("storage: no areas by default", "[backend]") {
  const ImpersonatorProcess impersonator;
  const Response response = impersonator.ReadStorage("ada", 20001);
  CHECK(response.outcome() == OUTCOME_OK);
  CHECK(response.storage_size() == 0);
}

}  // namespace
}  // namespace carme::impersonator
