// One process of the impersonator dies, at each step of a submission, a cancel
// and an extension in turn: the response to the backend is true.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <functional>
#include <map>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/privileged/protocol/frame_io.h"
#include "common/file.h"
#include "common/ids.h"
#include "tests/backend/privileged/dying_at_step.h"
#include "tests/backend/privileged/impersonator_process.h"
#include "tests/backend/privileged/valid_request.h"
#include "tests/support/status_matchers.h"

namespace carme::impersonator {
namespace {

using privileged::v1::OUTCOME_OK;
using privileged::v1::OUTCOME_UNKNOWN;
using privileged::v1::OUTCOME_UNSPECIFIED;
using privileged::v1::Request;
using privileged::v1::Response;

constexpr int kFewerThanThereAre = 5;
constexpr int kMoreThanThereAre = 500;
constexpr char kSettings[] =
    "submissions_per_minute_per_user = 100000\noperations_per_minute = 100000\n"
    "[extensions]\nmax_walltime_min = 1000\n";

// The page that the preloaded library looks at.
class Steps {
 public:
  Steps() {
    REQUIRE_THAT(WriteFile(path(), std::string(sizeof(StepsPage), '\0'), 0600),
                 IsOk());
    const int fd = open(path().c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(fd >= 0);
    void* const mapped = mmap(nullptr, sizeof(StepsPage),
                              PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    REQUIRE(mapped != MAP_FAILED);
    page_ = new (mapped) StepsPage();
    REQUIRE(setenv(kStepsFile, path().c_str(), 1) == 0);
  }
  ~Steps() {
    unsetenv(kStepsFile);
    munmap(page_, sizeof(StepsPage));
  }
  void Arm(StepsPage::Target target, int step) {
    page_->accepted = 0;
    page_->struck = 0;
    page_->left = step;
    page_->target = target;
  }
  // Whether a process has died.
  bool Disarm() {
    page_->target = StepsPage::kNone;
    return page_->struck != 0;
  }

 private:
  std::string path() const { return dir_.File("steps"); }
  TempDir dir_;
  StepsPage* page_ = nullptr;
};

struct World {
  // The last one to end: its jobs are there while the test looks.
  const EndJobs end;
  Steps steps;
  ImpersonatorProcess impersonator{kSettings, {.preload = CARME_DYING_AT_STEP}};
};

// A job that waits for an hour.
Request Waiting() {
  Request request = ValidSubmit();
  request.mutable_submit()->set_carme_job_id(NewJobId().value());
  request.mutable_submit()->set_begin_unix_s(
      absl::ToUnixSeconds(absl::Now() + absl::Hours(1)));
  return request;
}

struct ObservedStep {
  Request request;
  Response response;
};

bool IsOpen(const Response& response) {
  return response.outcome() == OUTCOME_UNKNOWN ||
         response.outcome() == OUTCOME_UNSPECIFIED;
}

// The process that accepts may be dead before anything is sent.
Response Ask(const ImpersonatorProcess& impersonator, const Request& request) {
  const std::string bytes = BytesOf(request);
  const UniqueFd fd = impersonator.Connect();
  REQUIRE(fd.valid());
  [[maybe_unused]] const ssize_t sent =
      send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  const auto answer = ReadFrame(fd.get(), absl::Now() + testing::kWaitTimeout);
  CHECK_FALSE(absl::IsDeadlineExceeded(answer.status()));
  Response response;
  if (answer.ok()) REQUIRE(response.ParseFromString(*answer));
  return response;
}

// What was reported for an operation that is repeated, with either process
// dying one step later each time. `look` comes after each.
std::vector<ObservedStep> AtEachStep(
    World& world, const std::function<Request()>& ask,
    const std::function<void(const ObservedStep&)>& look = nullptr) {
  std::vector<ObservedStep> all;
  for (const StepsPage::Target target :
       {StepsPage::kRequest, StepsPage::kExecutor}) {
    int step = 0;
    bool struck = true;
    while (struck) {
      REQUIRE(++step < kMoreThanThereAre);
      INFO("process " << target << " before its step " << step);
      const Request request = ask();
      world.steps.Arm(target, step);
      const ObservedStep observed{request, Ask(world.impersonator, request)};
      struck = world.steps.Disarm();
      INFO(observed.response.ShortDebugString());
      CHECK((struck || observed.response.outcome() == OUTCOME_OK));
      if (look) look(observed);
      all.push_back(observed);
    }
    CHECK(step > kFewerThanThereAre);
  }
  return all;
}

// In which state each of Slurm's jobs with such a comment is.
std::map<std::string, std::vector<std::string>> StatesByComment() {
  std::map<std::string, std::vector<std::string>> states;
  // A job of another test may have any comment, or none.
  std::istringstream lines(OutputOf("squeue -h -t all -o '%T %k'"));
  for (std::string line; std::getline(lines, line);) {
    const size_t space = line.find(' ');
    if (space == std::string::npos) continue;
    states[line.substr(space + 1)].push_back(line.substr(0, space));
  }
  return states;
}

TEST_CASE(
    "steps: after the death of a process a submission is reported correctly",
    "[backend]") {
  World world;
  const std::vector<ObservedStep> all = AtEachStep(world, Waiting);
  // Ends what is under way.
  CHECK(world.impersonator.Terminate() == 0);
  const auto states = StatesByComment();
  for (const ObservedStep& observed : all) {
    const auto found =
        states.find("carme:" + observed.request.submit().carme_job_id());
    const size_t jobs = found == states.end() ? 0 : found->second.size();
    INFO(observed.response.ShortDebugString());
    CHECK(jobs <= 1);
    if (IsOpen(observed.response)) continue;
    CHECK(jobs == (observed.response.outcome() == OUTCOME_OK ? 1 : 0));
  }
}

TEST_CASE(
    "steps: after the death of a process a cancellation is reported correctly",
    "[backend]") {
  World world;
  const auto cancel = [&] {
    const Request job = Waiting();
    const Response made = world.impersonator.Ask(job);
    REQUIRE(made.outcome() == OUTCOME_OK);
    Request request = ValidCancel();
    request.mutable_cancel()->set_slurm_job_id(made.slurm_job_id());
    request.mutable_cancel()->set_carme_job_id(job.submit().carme_job_id());
    return request;
  };
  const std::vector<ObservedStep> all = AtEachStep(world, cancel);
  CHECK(world.impersonator.Terminate() == 0);
  const auto states = StatesByComment();
  for (const ObservedStep& observed : all) {
    INFO(observed.response.ShortDebugString());
    const auto& state =
        states.at("carme:" + observed.request.cancel().carme_job_id());
    REQUIRE(state.size() == 1);
    if (IsOpen(observed.response)) continue;
    CHECK(state[0] == (observed.response.outcome() == OUTCOME_OK ? "CANCELLED"
                                                                 : "PENDING"));
  }
}

TEST_CASE(
    "steps: after the death of a process an extension is reported correctly",
    "[backend]") {
  World world;
  Request job = ValidSubmit();
  job.mutable_submit()->set_carme_job_id(NewJobId().value());
  const Response made = world.impersonator.Ask(job);
  REQUIRE(made.outcome() == OUTCOME_OK);
  const std::string id = absl::StrCat(made.slurm_job_id());
  REQUIRE(WaitFor([&] {
    return OutputOf("squeue -h -o %T -j " + id + " 2>&1") == "RUNNING\n";
  }));
  const auto limit = [&] {
    return OutputOf("squeue -h -t all -o %l -j " + id + " 2>&1");
  };
  int minutes = 10;
  std::string before;
  const auto extend = [&] {
    before = limit();
    Request request = ValidExtend();
    request.mutable_extend()->set_slurm_job_id(made.slurm_job_id());
    request.mutable_extend()->set_carme_job_id(job.submit().carme_job_id());
    request.mutable_extend()->set_walltime_min(++minutes);
    return request;
  };
  AtEachStep(world, extend, [&](const ObservedStep& observed) {
    if (IsOpen(observed.response)) return;
    CHECK((limit() != before) == (observed.response.outcome() == OUTCOME_OK));
  });
}

}  // namespace
}  // namespace carme::impersonator
