// The impersonator while Slurm, the directory or the impersonator itself fails.
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/privileged/protocol/frame_io.h"
#include "common/file.h"
#include "common/ids.h"
#include "tests/backend/privileged/impersonator_process.h"
#include "tests/backend/privileged/valid_request.h"
#include "tests/support/signals.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::impersonator {
namespace {

using privileged::v1::OUTCOME_OK;
using privileged::v1::OUTCOME_UNAVAILABLE;
using privileged::v1::OUTCOME_UNKNOWN;
using privileged::v1::Response;

// A service of this host that is away, or stopped in its tracks, for a while.
class Outage {
 public:
  explicit Outage(const std::string& service) : service_(service) {
    Call("stop");
  }
  ~Outage() { Call("start"); }

 private:
  void Call(const std::string& act) {
    OutputOf(
        absl::StrCat("$CARME_CLUSTER_SERVICE ", service_, " ", act, " 2>&1"));
  }
  std::string service_;
};

class Freeze {
 public:
  explicit Freeze(const std::string& pid_file)
      : pid_(std::stoi(ReadFile(pid_file).value_or("0"))) {
    REQUIRE(pid_ > 1);
    REQUIRE(testing::Signal(pid_, SIGSTOP));
  }
  ~Freeze() { testing::Signal(pid_, SIGCONT); }

 private:
  pid_t pid_;
};

// A slurm.conf of the test's own, like the cluster's.
class OwnSlurmConf {
 public:
  OwnSlurmConf() {
    REQUIRE(chmod(dir_.path().c_str(), 0755) == 0);
    Write("");
  }
  void Write(const std::string& more) {
    const std::string text = ReadFile("/etc/slurm/slurm.conf").value();
    REQUIRE_THAT(WriteFile(path(), text + "MessageTimeout=2\n" + more, 0644),
                 IsOk());
  }
  std::string path() const { return dir_.File("slurm.conf"); }
  std::string setting() const {
    return absl::StrCat("slurm_conf = \"", path(), "\"\n");
  }

 private:
  TempDir dir_;
};

// The process that waits for the next request; 0: there is none just now.
pid_t WaitingProcess(const ImpersonatorProcess& impersonator) {
  return std::atoi(
      OutputOf(absl::StrCat("pgrep -P ", impersonator.pid())).c_str());
}

// Whether an operation as ada has a connection to slurmctld.
bool AdaAsksSlurm() {
  return OutputOf(
             "ss -Htne state established dst :6817 | grep -cw uid:20001") !=
         "0\n";
}

std::string JobsWith(const std::string& carme_id) {
  return OutputOf("squeue -h -t all -o '%k' | grep -c carme:" + carme_id);
}

TEST_CASE("failure: nothing is submitted if slurmctld is down", "[backend]") {
  const OwnSlurmConf conf;
  const ImpersonatorProcess impersonator(conf.setting());
  const absl::Time start = absl::Now();
  std::string id;
  Response response;
  {
    const Outage outage("slurmctld");
    response = impersonator.Submit("ada", 20001, &id);
  }
  INFO(response.message());
  CHECK(response.outcome() == OUTCOME_UNAVAILABLE);
  CHECK(absl::Now() - start < testing::kWaitTimeout / 2);
  REQUIRE(WaitFor(
      [] { return OutputOf("sinfo -h -p main -t idle -o %D 2>&1") == "2\n"; }));
  CHECK(JobsWith(id) == "0\n");
}

TEST_CASE("failure: the next operation reads a changed slurm.conf",
          "[backend]") {
  const EndJobs end;
  OwnSlurmConf conf;
  const ImpersonatorProcess impersonator(conf.setting());
  CHECK(impersonator.Submit("ada", 20001).outcome() == OUTCOME_OK);
  conf.Write("SlurmctldPort=1\n");
  CHECK(impersonator.Submit("ada", 20001).outcome() == OUTCOME_UNAVAILABLE);
  conf.Write("");
  CHECK(impersonator.Submit("ada", 20001).outcome() == OUTCOME_OK);
}

TEST_CASE("failure: nothing is submitted with a broken slurm.conf",
          "[backend]") {
  const EndJobs end;
  OwnSlurmConf conf;
  const ImpersonatorProcess impersonator(conf.setting());
  conf.Write("NoSuchKey=1\n");
  for (int i = 0; i < 2; ++i) {
    const Response response = impersonator.Submit("ada", 20001);
    CHECK(response.outcome() == privileged::v1::OUTCOME_FAILED);
    CHECK_THAT(response.message(), Catch::Contains("before it began"));
  }
  conf.Write("");
  CHECK(impersonator.Submit("ada", 20001).outcome() == OUTCOME_OK);
}

TEST_CASE("failure: a slurm.conf of another owner is read as the user",
          "[backend]") {
  const EndJobs end;
  const OwnSlurmConf conf;
  REQUIRE(chown(conf.path().c_str(), 20002, 20002) == 0);
  const ImpersonatorProcess impersonator(conf.setting());
  CHECK(impersonator.Submit("ada", 20001).outcome() == OUTCOME_OK);
}

TEST_CASE("failure: a killed preforked process is replaced", "[backend]") {
  const ImpersonatorProcess impersonator;
  // The process that is found may be one that is about to end anyway.
  CHECK(WaitFor([&] {
    const pid_t waiting = WaitingProcess(impersonator);
    if (waiting > 0) testing::Signal(waiting, SIGKILL);
    CHECK(impersonator.Submit("nosuchuser", 1).outcome() ==
          privileged::v1::OUTCOME_REFUSED);
    return impersonator.Log().find("request process died") != std::string::npos;
  }));
}

TEST_CASE("failure: unknown outcome if slurmctld hangs", "[backend]") {
  const EndJobs end;
  OwnSlurmConf conf;
  conf.Write("MessageTimeout=100\n");  // so that libslurm would wait on
  // As long as this machine needs to come as far as Slurm.
  int operation_timeout_s = 1;
  const auto submit = [&](const ImpersonatorProcess& impersonator) {
    const Freeze freeze("/run/slurm/slurmctld.pid");
    return impersonator.Submit("ada", 20001);
  };
  std::optional<ImpersonatorProcess> impersonator;
  Response response;
  do {
    operation_timeout_s *= 2;
    REQUIRE(operation_timeout_s < 100);
    impersonator.emplace(
        conf.setting() +
        absl::StrCat("operation_timeout_s = ", operation_timeout_s, "\n"));
    response = submit(*impersonator);
  } while (response.outcome() == privileged::v1::OUTCOME_UNAVAILABLE);
  INFO(response.message());
  CHECK(response.outcome() == OUTCOME_UNKNOWN);
  CHECK_THAT(impersonator->AuditLines()[0], Catch::Contains("result=unknown"));
}

TEST_CASE("failure: error if the directory is down", "[backend]") {
  const Outage cache("nscd");
  const ImpersonatorProcess impersonator;
  {
    const Outage outage("nslcd");
    const Response response = impersonator.Submit("ada", 20001);
    CHECK(response.outcome() == OUTCOME_UNAVAILABLE);
    CHECK_THAT(impersonator.AuditLines()[0], Catch::Contains("decision=error"));
  }
  REQUIRE(WaitFor([] { return OutputOf("id -u ada 2>&1") == "20001\n"; }));
}

TEST_CASE("failure: error if the directory is down and its cache empty",
          "[backend]") {
  const ImpersonatorProcess impersonator;
  {
    const Outage outage("nslcd");
    OutputOf("$CARME_CLUSTER_SERVICE nscd forget");
    const Response response = impersonator.Submit("ada", 20001);
    INFO(response.message());
    CHECK(response.outcome() == OUTCOME_UNAVAILABLE);
  }
  REQUIRE(WaitFor([] { return OutputOf("id -u ada 2>&1") == "20001\n"; }));
}

TEST_CASE("failure: error in time if the directory hangs", "[backend]") {
  const Outage cache("nscd");
  const ImpersonatorProcess impersonator("operation_timeout_s = 2\n");
  const Freeze freeze("/run/nslcd/nslcd.pid");
  const absl::Time start = absl::Now();
  const Response response = impersonator.Submit("ada", 20001);
  CHECK(absl::Now() - start < absl::Seconds(15));
  CHECK(response.outcome() == OUTCOME_UNAVAILABLE);
  CHECK_THAT(response.message(), Catch::Contains("no answer within 2s"));
  REQUIRE(WaitFor([&] { return impersonator.AuditLines().size() == 1; }));
  CHECK_THAT(impersonator.AuditLines()[0],
             Catch::Contains("decision=error result=unavailable"));
}

TEST_CASE("failure: serves after kill and restart", "[backend]") {
  ImpersonatorProcess impersonator;
  impersonator.KillAndRestart();
  CHECK(impersonator.Submit("nosuchuser", 1).outcome() ==
        privileged::v1::OUTCOME_REFUSED);
}

TEST_CASE("failure: killed during an operation, the job exists once",
          "[backend]") {
  const EndJobs end;
  OwnSlurmConf conf;
  conf.Write("MessageTimeout=100\n");
  ImpersonatorProcess impersonator(conf.setting() +
                                   "operation_timeout_s = 120\n");
  privileged::v1::Request request = ValidSubmit();
  const std::string id = NewJobId().value();
  request.mutable_submit()->set_carme_job_id(id);
  const std::string frame = BytesOf(request);
  const UniqueFd fd = impersonator.Connect();
  {
    const Freeze freeze("/run/slurm/slurmctld.pid");
    REQUIRE(send(fd.get(), frame.data(), frame.size(), 0) > 0);
    REQUIRE(WaitFor(AdaAsksSlurm));
    impersonator.KillAndRestart();
  }
  // The running operation completes, and its client gets the response.
  Response response;
  const auto answer = ReadFrame(fd.get(), absl::Now() + testing::kWaitTimeout);
  REQUIRE_THAT(answer, IsOk());
  REQUIRE(response.ParseFromString(*answer));
  CHECK(response.outcome() == OUTCOME_OK);
  CHECK(JobsWith(id) == "1\n");
}

TEST_CASE("failure: does nothing for a closed connection", "[backend]") {
  const EndJobs end;
  const Outage cache("nscd");
  const ImpersonatorProcess impersonator("operation_timeout_s = 20\n");
  privileged::v1::Request request = ValidSubmit();
  const std::string id = NewJobId().value();
  request.mutable_submit()->set_carme_job_id(id);
  const std::string frame = EncodeFrame(request.SerializeAsString());
  {
    const Freeze freeze("/run/nslcd/nslcd.pid");
    const UniqueFd fd = impersonator.Connect();
    REQUIRE(send(fd.get(), frame.data(), frame.size(), 0) > 0);
    absl::SleepFor(absl::Milliseconds(300));  // into the look-up
  }
  REQUIRE(WaitFor([&] { return impersonator.AuditLines().size() == 1; }));
  CHECK_THAT(impersonator.AuditLines()[0],
             Catch::Contains("closed the connection"));
  CHECK(JobsWith(id) == "0\n");
}

TEST_CASE("failure: completes running operations on SIGTERM", "[backend]") {
  const EndJobs end;
  OwnSlurmConf conf;
  conf.Write("MessageTimeout=100\n");
  ImpersonatorProcess impersonator(conf.setting() +
                                   "operation_timeout_s = 120\n");
  privileged::v1::Request request = ValidSubmit();
  const std::string id = NewJobId().value();
  request.mutable_submit()->set_carme_job_id(id);
  const std::string frame = BytesOf(request);
  const UniqueFd fd = impersonator.Connect();
  {
    const Freeze freeze("/run/slurm/slurmctld.pid");
    REQUIRE(send(fd.get(), frame.data(), frame.size(), 0) > 0);
    REQUIRE(WaitFor(AdaAsksSlurm));
    testing::Signal(impersonator.pid(), SIGTERM);
  }
  CHECK(impersonator.Terminate() == 0);
  CHECK_THAT(ReadFrame(fd.get(), absl::Now() + testing::kWaitTimeout), IsOk());
  CHECK(JobsWith(id) == "1\n");
}

}  // namespace
}  // namespace carme::impersonator
