// Reading a job's log as its user: whatever the user has replaced it by.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "backend/slurm/impersonator/impersonator_client.h"
#include "common/file.h"
#include "common/ids.h"
#include "tests/backend/privileged/impersonator_process.h"
#include "tests/backend/privileged/valid_request.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::impersonator {
namespace {

using privileged::v1::OUTCOME_NOT_FOUND;
using privileged::v1::OUTCOME_OK;
using privileged::v1::OUTCOME_REFUSED;
using privileged::v1::ReadLog;
using privileged::v1::Response;

const std::string kHome = "/home/ada";
const std::string kLogs = kHome + "/.carme";

// The log of a job that never was, in ada's home, and gone at the end.
class PlantedLog {
 public:
  PlantedLog() : job_(NewJobId().value()) {
    OutputOf("runuser -u ada -- mkdir -p -m 700 " + kLogs);
  }
  ~PlantedLog() { OutputOf(absl::StrCat("rm -rf ", kLogs, "/", job_, "*")); }
  const std::string& job() const { return job_; }
  std::string path() const { return absl::StrCat(kLogs, "/", job_, ".log"); }
  // As ada.
  void Plant(const std::string& command) const {
    OutputOf(absl::StrCat("runuser -u ada -- sh -c '", command, "' 2>&1"));
  }
  void Write(const std::string& text, uid_t owner = 20001) const {
    REQUIRE_THAT(WriteFile(path(), text, 0600), IsOk());
    REQUIRE(chown(path().c_str(), owner, owner) == 0);
  }

 private:
  const std::string job_;
};

Response Read(
    const ImpersonatorProcess& impersonator, const std::string& job,
    const std::function<void(ReadLog*)>& change = [](ReadLog*) {},
    const std::string& user = "ada", uid_t uid = 20001) {
  privileged::v1::Request request = ValidReadLog();
  request.set_user(user);
  request.set_uid(uid);
  request.mutable_read_log()->set_carme_job_id(job);
  change(request.mutable_read_log());
  return impersonator.Ask(request);
}

TEST_CASE("log: refuses a link instead of the log", "[backend]") {
  const ImpersonatorProcess impersonator;
  const PlantedLog log;
  for (const char* target : {"/etc/passwd", "/etc/shadow", "/home/bob/secret",
                             "/home/ada/own", "/dev/zero"}) {
    log.Plant(absl::StrCat("ln -sf ", target, " ", log.path()));
    const Response response = Read(impersonator, log.job());
    CHECK(response.outcome() == OUTCOME_REFUSED);
    CHECK_THAT(response.message(), Catch::Contains("found a link"));
    CHECK(response.log().text().empty());
  }
}

TEST_CASE("log: refuses a link instead of the directory", "[backend]") {
  const ImpersonatorProcess impersonator;
  const PlantedLog log;
  log.Write("secret");
  log.Plant(absl::StrCat("mv ", kLogs, " ", kLogs, ".old; ln -s ", kLogs,
                         ".old ", kLogs));
  const Response response = Read(impersonator, log.job());
  log.Plant(absl::StrCat("rm ", kLogs, "; mv ", kLogs, ".old ", kLogs));
  CHECK(response.outcome() == OUTCOME_REFUSED);
  CHECK(Read(impersonator, log.job()).log().text() == "secret");
}

TEST_CASE("log: refuses files that are not regular, without blocking",
          "[backend]") {
  const ImpersonatorProcess impersonator;
  const PlantedLog log;
  for (const char* make : {"mkfifo ", "mkdir "}) {
    log.Plant(absl::StrCat(make, log.path()));
    const Response response = Read(impersonator, log.job());
    CHECK(response.outcome() == OUTCOME_REFUSED);
    CHECK_THAT(response.message(), Catch::Contains("not a regular file"));
    log.Plant("rm -r " + log.path());
  }
}

TEST_CASE("log: refuses files of other users", "[backend]") {
  const ImpersonatorProcess impersonator;
  const PlantedLog log;
  log.Write("bob's", 20002);
  CHECK(Read(impersonator, log.job()).outcome() == OUTCOME_REFUSED);
  REQUIRE(chmod(log.path().c_str(), 0644) == 0);  // ada could read it
  const Response response = Read(impersonator, log.job());
  CHECK(response.outcome() == OUTCOME_REFUSED);
  CHECK_THAT(response.message(), Catch::Contains("belongs to uid 20002"));
}

TEST_CASE("log: refuses other users' jobs, and root", "[backend]") {
  const EndJobs end;
  const ImpersonatorProcess impersonator;
  std::string id;
  const Response job = impersonator.Submit("ada", 20001, &id);
  REQUIRE(WaitFor([&] {
    return access(absl::StrCat(kLogs, "/", id, ".log").c_str(), F_OK) == 0;
  }));
  const auto of_job = [&](ReadLog* read) {
    read->set_slurm_job_id(job.slurm_job_id());
  };
  const Response foreign = Read(impersonator, id, of_job, "bob", 20002);
  CHECK(foreign.outcome() == OUTCOME_REFUSED);
  CHECK_THAT(foreign.message(), Catch::Contains("is not this job"));
  // Without its number it is bob's own home that is looked into.
  CHECK(Read(
            impersonator, id, [](ReadLog*) {}, "bob", 20002)
            .outcome() == OUTCOME_NOT_FOUND);
  CHECK(Read(impersonator, id, of_job, "root", 0).outcome() == OUTCOME_REFUSED);
  CHECK(Read(impersonator, "zzzzzzzzzzzzzzzz", of_job).outcome() ==
        OUTCOME_REFUSED);
  CHECK(Read(impersonator, id, of_job).outcome() == OUTCOME_OK);
}

TEST_CASE("log: a missing log is not found", "[backend]") {
  const ImpersonatorProcess impersonator;
  const PlantedLog log;
  CHECK(Read(impersonator, log.job()).outcome() == OUTCOME_NOT_FOUND);
  CHECK_THAT(impersonator.AuditLines()[0],
             Catch::Contains("operation=read_log object=" + log.job() +
                             ".log decision=allow result=not_found"));
}

TEST_CASE("log: reads any part and the size", "[backend]") {
  const ImpersonatorProcess impersonator;
  const PlantedLog log;
  const std::string text(
      "first\n\0\xff"
      "second\n",
      15);
  log.Write(text);
  struct Case {
    int64_t offset;
    uint32_t max;
    int64_t begin;
    std::string part;
  };
  for (const Case& row :
       {Case{0, 65536, 0, text}, Case{0, 5, 0, "first"},
        Case{8, 6, 8, "second"}, Case{-7, 100, 8, "second\n"},
        Case{-1000, 5, 0, "first"}, Case{1000, 5, 15, ""},
        Case{INT64_MAX, 5, 15, ""}, Case{INT64_MIN, 5, 0, "first"}}) {
    const Response response = Read(impersonator, log.job(), [&](ReadLog* read) {
      read->set_offset_bytes(row.offset);
      read->set_max_bytes(row.max);
    });
    INFO(row.offset);
    CHECK(response.outcome() == OUTCOME_OK);
    CHECK(response.log().text() == row.part);
    CHECK(response.log().offset_bytes() == row.begin);
    CHECK(response.log().size_bytes() == 15);
  }
}

TEST_CASE("log: 64 KiB of a long log and an app's log, through the client",
          "[backend]") {
  const ImpersonatorProcess impersonator;
  backend::ImpersonatorClient client(
      {.socket = impersonator.socket(), .timeout = testing::kWaitTimeout});
  const PlantedLog log;
  log.Write(std::string(100000, 'x'));
  log.Plant(absl::StrCat("echo app > ", kLogs, "/", log.job(), ".jupyter.log"));
  const AsUser backend(kBackendUid);
  const auto part = client.ReadLogAsUser({"ada", Uid(20001)},
                                         {.job = JobId(log.job())}, "r1");
  REQUIRE_THAT(part, IsOk());
  CHECK(part->text == std::string(65536, 'x'));
  CHECK(part->size == 100000);
  const auto app = client.ReadLogAsUser(
      {"ada", Uid(20001)}, {.job = JobId(log.job()), .app = "jupyter"}, "r1");
  REQUIRE_THAT(app, IsOk());
  CHECK(app->text == "app\n");
  CHECK(absl::IsNotFound(
      client
          .ReadLogAsUser({"ada", Uid(20001)},
                         {.job = JobId(log.job()), .app = "other"}, "r1")
          .status()));
}

}  // namespace
}  // namespace carme::impersonator
