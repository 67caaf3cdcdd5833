// Reading how full a user's storage is, as that user, on the real cluster.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/privileged/protocol/frame_io.h"
#include "backend/storage/storage_reader_client.h"
#include "common/file.h"
#include "tests/backend/privileged/impersonator_process.h"
#include "tests/backend/privileged/storage/storage_reader_process.h"
#include "tests/backend/privileged/valid_request.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::storage_reader {
namespace {

using privileged::v1::OUTCOME_EXHAUSTED;
using privileged::v1::OUTCOME_OK;
using privileged::v1::OUTCOME_REFUSED;
using privileged::v1::StorageResponse;
using testing::AsUser;
using testing::kBackendUid;
using testing::OutputOf;
using testing::WaitFor;

std::string Area(const std::string& name, const std::string& path,
                 const std::string& rest) {
  return absl::StrCat("[[areas]]\nname = \"", name, "\"\npath = \"", path,
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
  const StorageReaderProcess reader(Home());
  CHECK(reader.ReadStorage("root", 0).outcome() == OUTCOME_REFUSED);
  CHECK(reader.ReadStorage("eve", 20004).outcome() == OUTCOME_REFUSED);
  CHECK(reader.ReadStorage("ada", 20002).outcome() == OUTCOME_REFUSED);
  CHECK(reader.ReadStorage("nosuchuser", 1).outcome() == OUTCOME_REFUSED);
  const auto lines = reader.AuditLines();
  REQUIRE(lines.size() == 4);
  CHECK_THAT(lines[0], Catch::Contains("operation=read_storage object=storage "
                                       "decision=refuse result=refused"));
}

TEST_CASE("storage: each program refuses the other's requests", "[backend]") {
  const StorageReaderProcess reader(Home());
  const StorageResponse submit =
      reader.Exchange(impersonator::BytesOf(impersonator::ValidSubmit()));
  CHECK(submit.outcome() == OUTCOME_REFUSED);
  CHECK_THAT(submit.message(), Catch::Contains("unknown fields"));
  const StorageResponse log = reader.Exchange(
      EncodeFrame(impersonator::ValidReadLog().SerializeAsString()));
  CHECK(log.outcome() == OUTCOME_REFUSED);
  CHECK(OutputOf("squeue -h").empty());

  const impersonator::ImpersonatorProcess impersonator;
  const privileged::v1::Response storage = impersonator.Exchange(
      EncodeFrame(ValidStorageRequest().SerializeAsString()));
  CHECK(storage.outcome() == OUTCOME_REFUSED);
  CHECK_THAT(storage.message(), Catch::Contains("\"operation\""));
}

TEST_CASE("storage: refuses invalid requests", "[backend]") {
  const StorageReaderProcess reader(Home());
  CHECK_THAT(reader.Exchange("GET / HTTP/1.1\r\n\r\n").message(),
             Catch::Contains("frame of"));
  CHECK_THAT(
      reader.Exchange(std::string("\0\1\0\1", 4) + std::string(65537, 'x'))
          .message(),
      Catch::Contains("frame of 65537 bytes"));
  CHECK_THAT(reader.Exchange(EncodeFrame("garbage")).message(),
             Catch::Contains("invalid request"));
  CHECK_THAT(reader.ReadStorage("../ada", 20001).message(),
             Catch::Contains("\"user\""));
  const auto lines = reader.AuditLines();
  REQUIRE(lines.size() == 4);
  for (const std::string& line : lines) {
    CHECK_THAT(line, Catch::Contains("decision=refuse"));
  }
  CHECK(reader.ReadStorage("ada", 20001).outcome() == OUTCOME_OK);
}

TEST_CASE("storage: serves only the backend's user", "[backend]") {
  const StorageReaderProcess reader(Home());
  struct stat info {};
  REQUIRE(stat(reader.socket().c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0660);
  CHECK(info.st_uid == 0);
  CHECK(info.st_gid == kBackendUid);
  CHECK_FALSE(reader.Connect(20001).valid());
  // Also if the socket's mode has been opened.
  REQUIRE(chmod(reader.socket().c_str(), 0666) == 0);
  for (const uid_t uid : {uid_t{0}, uid_t{20001}}) {
    const UniqueFd fd = reader.Connect(uid);
    REQUIRE(fd.valid());
    StorageResponse response;
    const auto answer =
        ReadFrame(fd.get(), absl::Now() + testing::kWaitTimeout);
    REQUIRE_THAT(answer, IsOk());
    REQUIRE(response.ParseFromString(*answer));
    CHECK(response.outcome() == OUTCOME_REFUSED);
    CHECK_THAT(reader.Log(), Catch::Contains(absl::StrCat("peer_uid=", uid)));
  }
  CHECK(reader.ReadStorage("ada", 20001).outcome() == OUTCOME_OK);
}

TEST_CASE("storage: starts as root only", "[backend]") {
  const StorageReaderProcess reader;
  CHECK_THAT(OutputOf(absl::StrCat("setpriv --reuid 64101 --regid 64101 "
                                   "--clear-groups ",
                                   CARME_STORAGE_READER, " --config ",
                                   reader.config(), " 2>&1")),
             Catch::Contains("expected root"));
}

TEST_CASE("storage: a forbidden system call kills the process and is audited",
          "[backend]") {
  const StorageReaderProcess reader(Home(),
                                    {.preload = CARME_FORBIDDEN_LOOK_UP});
  const StorageResponse response = reader.ReadStorage("ada", 20001);
  CHECK(response.outcome() == privileged::v1::OUTCOME_FAILED);
  const auto lines = reader.AuditLines();
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0], Catch::Contains("decision=error result=failed") &&
                           Catch::Contains("forbidden system call"));
}

TEST_CASE("storage: serves on an inherited socket", "[backend]") {
  const StorageReaderProcess reader(Home(), {.hand_over = true});
  CHECK(reader.ReadStorage("ada", 20001).outcome() == OUTCOME_OK);
}

TEST_CASE("storage: keeps three capabilities", "[backend]") {
  const StorageReaderProcess reader(Home());
  const std::string status =
      ReadFile(absl::StrCat("/proc/", reader.pid(), "/status")).value_or("");
  INFO(status);
  CHECK_THAT(status, Catch::Contains("CapBnd:\t00000000000000e0\n") &&
                         Catch::Contains("CapEff:\t00000000000000e0\n") &&
                         Catch::Contains("NoNewPrivs:\t1\n"));
}

TEST_CASE("storage: ends at SIGTERM, and starts again after SIGKILL",
          "[backend]") {
  StorageReaderProcess reader(Home());
  reader.KillAndRestart();
  CHECK(reader.ReadStorage("ada", 20001).outcome() == OUTCOME_OK);
  CHECK(reader.Terminate() == 0);
}

TEST_CASE("storage: is rate limited", "[backend]") {
  const StorageReaderProcess reader(
      absl::StrCat("readings_per_minute = 4\n", Home()));
  CHECK(reader.ReadStorage("ada", 20001).outcome() == OUTCOME_OK);
  CHECK(reader.ReadStorage("ada", 20001).outcome() == OUTCOME_EXHAUSTED);
  CHECK(reader.ReadStorage("bob", 20002).outcome() == OUTCOME_OK);
}

TEST_CASE(
    "storage: a program runs as the user, without capabilities or environment",
    "[backend]") {
  const StorageReaderProcess reader(
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
  const StorageResponse response = reader.ReadStorage("ada", 20001);
  INFO(response.DebugString());
  REQUIRE(response.areas_size() == 2);
  CHECK(response.areas(0).used_bytes() == 20001);
  CHECK(response.areas(0).limit_bytes() == 20001);
  // PATH and LC_ALL, and PWD, which sh adds.
  CHECK(response.areas(0).used_files() == 3);
  CHECK(response.areas(0).limit_files() == 1);
  CHECK(response.areas(1).used_bytes() == 4);
  CHECK(response.areas(1).used_files() == 4);
  CHECK_THAT(reader.AuditLines()[0],
             Catch::Contains("decision=allow result=ok"));
}

TEST_CASE("storage: does not run a program that a user can change",
          "[backend]") {
  const std::string program = "/home/ada/quota";
  REQUIRE_THAT(WriteFile(program, "#!/bin/sh\necho used_bytes=1\n", 0755),
               IsOk());
  const StorageReaderProcess reader(
      Area("Own", "/",
           absl::StrCat("kind = \"command\"\ncommand = [\"", program, "\"]")));
  const StorageResponse response = reader.ReadStorage("ada", 20001);
  unlink(program.c_str());
  REQUIRE(response.areas_size() == 1);
  CHECK(response.areas(0).problem() ==
        "The program that reports the usage cannot be run.");
  CHECK_THAT(reader.AuditLines()[0], Catch::Contains("belongs to uid 20001"));
}

TEST_CASE("storage: an area that hangs does not affect others", "[backend]") {
  const StorageReaderProcess reader("area_timeout_s = 3\n" +
                                    Script("Hangs", "sleep 986") + Home());
  const StorageResponse response = reader.ReadStorage("ada", 20001);
  INFO(response.DebugString());
  REQUIRE(response.areas_size() == 2);
  CHECK(response.areas(0).problem() == "The file system does not respond.");
  CHECK(response.areas(1).limit_bytes() > 0);
  CHECK(WaitFor([] { return OutputOf("pgrep -f '^sleep 986'").empty(); }));
}

TEST_CASE("storage: at most max_readings readings run at a time", "[backend]") {
  const StorageReaderProcess reader("max_readings = 4\narea_timeout_s = 60\n" +
                                    Script("Hangs", "sleep 985"));
  const std::string frame =
      EncodeFrame(ValidStorageRequest().SerializeAsString());
  std::vector<UniqueFd> clients;
  for (int i = 0; i < 6; ++i) {
    clients.push_back(reader.Connect());
    REQUIRE(write(clients.back().get(), frame.data(), frame.size()) > 0);
  }
  const auto sleepers = [] {
    return OutputOf("pgrep -c -u ada -f '^sleep 985'");
  };
  CHECK(WaitFor([&] { return sleepers() == "4\n"; }));
  absl::SleepFor(absl::Milliseconds(300));
  CHECK(sleepers() == "4\n");
  // Those that had to wait come next.
  CHECK(WaitFor([&] {
    OutputOf("pkill -u ada -f '^sleep 985'");
    return reader.AuditLines().size() == 6;
  }));
}

TEST_CASE("storage: readings end with the executor", "[backend]") {
  const StorageReaderProcess reader("area_timeout_s = 60\n" +
                                    Script("Hangs", "sleep 984; true"));
  const std::string frame =
      EncodeFrame(ValidStorageRequest().SerializeAsString());
  const UniqueFd fd = reader.Connect();
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
  CHECK(WaitFor([&] { return reader.AuditLines().size() == 1; }));
}

TEST_CASE("storage: figures, quotas and groups through the client",
          "[backend]") {
  const StorageReaderProcess reader(
      Home() + Area("Quota", "/proc", "kind = \"quota\"") +
      Area("{group}", "/home",
           "kind = \"filesystem\"\ngroup_prefix = \"carme-\"") +
      Area("{group}", "/nosuch/{group}",
           "kind = \"filesystem\"\ngroup_prefix = \"carme-\"") +
      Area("Work", "/groups/{user}",
           "kind = \"command\"\nformat = \"beegfs\"\ncommand = "
           "[\"/bin/echo\", \"{user},{uid},10,20,3,unlimited\"]"));
  backend::StorageReaderClient client(
      {.socket = reader.socket(), .timeout = testing::kWaitTimeout});
  const AsUser backend(kBackendUid);
  client.ProbeIdle();
  CHECK_THAT(client.availability().state().status, IsOk());
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
  const StorageReaderProcess reader;
  const StorageResponse response = reader.ReadStorage("ada", 20001);
  CHECK(response.outcome() == OUTCOME_OK);
  CHECK(response.areas_size() == 0);
}

}  // namespace
}  // namespace carme::storage_reader
