#include "common/service_log/service_log_reporter.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"

namespace carme {
namespace {

constexpr ServiceLogReporter::Pace kTestPace{absl::Milliseconds(5),
                                             absl::Milliseconds(5)};
constexpr absl::Duration kTestTimeout = absl::Seconds(20);

// A backend that answers with `status`.
class ReceivedLog {
 public:
  ServiceLogReporter::Send Receiver() {
    return [this](const v1::ReportLogEntriesRequest& request) {
      const absl::MutexLock lock(&mutex_);
      ++calls_;
      largest_ = std::max(largest_, request.entries_size());
      if (!status_.ok()) return status_;
      dropped_ += request.dropped();
      for (const v1::ReportedLogEntry& entry : request.entries()) {
        entries_.push_back(entry);
      }
      return status_;
    };
  }
  void Answer(absl::Status status) {
    const absl::MutexLock lock(&mutex_);
    status_ = std::move(status);
  }
  void AwaitCalls(int count) {
    const absl::MutexLock lock(&mutex_);
    const auto enough = [&] { return calls_ >= count; };
    REQUIRE(mutex_.AwaitWithTimeout(absl::Condition(&enough), kTestTimeout));
  }
  std::vector<v1::ReportedLogEntry> AwaitEntries(size_t count) {
    const absl::MutexLock lock(&mutex_);
    const auto enough = [&] { return entries_.size() >= count; };
    mutex_.AwaitWithTimeout(absl::Condition(&enough), kTestTimeout);
    return entries_;
  }
  int largest() {
    const absl::MutexLock lock(&mutex_);
    return largest_;
  }
  uint64_t dropped() {
    const absl::MutexLock lock(&mutex_);
    return dropped_;
  }

 private:
  absl::Mutex mutex_;
  absl::Status status_;
  int calls_ = 0;
  int largest_ = 0;
  uint64_t dropped_ = 0;
  std::vector<v1::ReportedLogEntry> entries_;
};

TEST_CASE("log reporter: sends warnings and errors, not information", "[log]") {
  ReceivedLog received;
  const ServiceLogReporter reporter(received.Receiver(), kTestPace);
  LogInfo("serving");
  LogWarning(
      "no response",
      {{"request", "4bf92f3577b34da6"}, {"user", "ada"}, {"slurm_job", 17}});
  LogError("bad\nvalue", {{"job", "k3"}, {"node", "n1"}});
  const auto entries = received.AwaitEntries(2);
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].severity() == v1::LOG_SEVERITY_WARNING);
  CHECK(entries[0].message() ==
        "no response request=4bf92f3577b34da6 user=ada slurm_job=17");
  CHECK(entries[0].request_id() == "4bf92f3577b34da6");
  CHECK(entries[0].user() == "ada");
  CHECK(entries[0].slurm_job_id() == 17);
  CHECK(entries[1].severity() == v1::LOG_SEVERITY_ERROR);
  CHECK(entries[1].message() == "bad?value job=k3 node=n1");
  CHECK(entries[1].job_id() == "k3");
}

TEST_CASE("log reporter: keeps entries in order until the backend responds",
          "[log]") {
  ReceivedLog received;
  received.Answer(absl::UnavailableError("no connection"));
  const ServiceLogReporter reporter(received.Receiver(), kTestPace);
  LogWarning("first");
  received.AwaitCalls(2);
  LogWarning("second");
  received.Answer(absl::OkStatus());
  const auto entries = received.AwaitEntries(2);
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].message() == "first");
  CHECK(entries[1].message() == "second");
}

TEST_CASE("log reporter: bounds what waits, and reports what it dropped",
          "[log]") {
  ReceivedLog received;
  received.Answer(absl::UnavailableError("no connection"));
  const ServiceLogReporter reporter(received.Receiver(), kTestPace);
  for (size_t i = 0; i < kMaxWaitingLogEntries + 7; ++i) {
    LogWarning(absl::StrCat("entry ", i));
  }
  received.Answer(absl::OkStatus());
  const auto entries = received.AwaitEntries(kMaxWaitingLogEntries);
  CHECK(entries.size() == kMaxWaitingLogEntries);
  CHECK(entries.back().message() ==
        absl::StrCat("entry ", kMaxWaitingLogEntries - 1));
  CHECK(received.dropped() == 7);
  CHECK(received.largest() == kMaxReportedLogEntries);
}

TEST_CASE("log reporter: sends what is left when the process stops", "[log]") {
  ReceivedLog received;
  {
    const ServiceLogReporter reporter(received.Receiver(),
                                      {.between_reports = absl::Hours(1)});
    LogWarning("first");
    received.AwaitCalls(1);
    LogWarning("last");
  }
  const auto entries = received.AwaitEntries(2);
  REQUIRE(entries.size() == 2);
  CHECK(entries[1].message() == "last");
}

TEST_CASE("log reporter: drops entries that an older backend cannot receive",
          "[log]") {
  ReceivedLog received;
  received.Answer(absl::UnimplementedError("unknown rpc"));
  const ServiceLogReporter reporter(received.Receiver(), kTestPace);
  LogWarning("first");
  received.AwaitCalls(1);
  received.Answer(absl::OkStatus());
  LogWarning("second");
  const auto entries = received.AwaitEntries(1);
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].message() == "second");
}

}  // namespace
}  // namespace carme
