#include "tests/backend/jobs/steps.h"

#include <sqlite3.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <utility>

namespace carme::backend::steps {
namespace {

std::atomic<bool> armed = false;
std::atomic<bool> struck = false;
std::atomic<int> left = 0;
std::atomic<Fault> fault = Fault::kDeath;

// Whether this step is the one.
bool Strikes(bool is_write) {
  if (!armed) return false;
  if (fault != Fault::kDeath && !is_write) return false;
  if (struck) return fault == Fault::kDiskFull;
  if (left.fetch_sub(1) != 1) return false;
  if (fault == Fault::kDeath) _exit(kDeathCode);
  struck = true;
  return true;
}

ssize_t FailToWrite() {
  errno = fault == Fault::kDiskFull ? ENOSPC : EIO;
  return -1;
}

ssize_t Write(int fd, const void* bytes, size_t count) {
  return Strikes(true) ? FailToWrite() : write(fd, bytes, count);
}

ssize_t WriteAt(int fd, const void* bytes, size_t count, off_t offset) {
  return Strikes(true) ? FailToWrite() : pwrite(fd, bytes, count, offset);
}

// SQLite lets its tests take the place of what it calls. Which of these it
// writes with was decided when it was built.
const bool placed = [] {
  static_assert(sizeof(off_t) == 8);
  sqlite3_initialize();
  sqlite3_vfs* const files = sqlite3_vfs_find(nullptr);
  const auto place = [&](const char* name, auto* function) {
    files->xSetSystemCall(files, name,
                          reinterpret_cast<sqlite3_syscall_ptr>(function));
  };
  place("write", &Write);
  place("pwrite", &WriteAt);
  place("pwrite64", &WriteAt);
  return true;
}();

template <typename Call>
auto AsSteps(const Call& call) {
  Strikes(false);
  auto answer = call();
  Strikes(false);
  return answer;
}

class SteppedAnnouncement : public PreparedSubmission {
 public:
  explicit SteppedAnnouncement(std::unique_ptr<PreparedSubmission> inner)
      : inner_(std::move(inner)) {}
  absl::StatusOr<SlurmJobId> SubmitAsUser() override {
    return AsSteps([&] { return inner_->SubmitAsUser(); });
  }

 private:
  const std::unique_ptr<PreparedSubmission> inner_;
};

}  // namespace

void Arm(Fault of, int step) {
  if (!placed) std::abort();
  fault = of;
  left = step;
  struck = false;
  armed = true;
}

bool Disarm() {
  armed = false;
  return struck;
}

std::unique_ptr<PreparedSubmission> SteppedSubmitter::Prepare(
    const PosixUser& user, const Submission& submission,
    const std::string& request_id) {
  return std::make_unique<SteppedAnnouncement>(
      AsSteps([&] { return inner_.Prepare(user, submission, request_id); }));
}

absl::Status SteppedSubmitter::CancelAsUser(const PosixUser& user,
                                            SlurmJobId slurm_job,
                                            const JobId& job,
                                            const std::string& request_id) {
  return AsSteps(
      [&] { return inner_.CancelAsUser(user, slurm_job, job, request_id); });
}

absl::Status SteppedSubmitter::UpdateAsUser(const PosixUser& user,
                                            SlurmJobId slurm_job,
                                            const JobId& job,
                                            const JobChange& change,
                                            const std::string& request_id) {
  return AsSteps([&] {
    return inner_.UpdateAsUser(user, slurm_job, job, change, request_id);
  });
}

absl::Status SteppedSubmitter::ExtendForUser(const PosixUser& user,
                                             SlurmJobId slurm_job,
                                             const JobId& job,
                                             absl::Duration walltime,
                                             const std::string& request_id) {
  return AsSteps([&] {
    return inner_.ExtendForUser(user, slurm_job, job, walltime, request_id);
  });
}

absl::Status SteppedSubmitter::ReturnNodesAsUser(
    const PosixUser& user, SlurmJobId slurm_job, const JobId& job,
    const std::vector<std::string>& nodes, const std::string& request_id) {
  return AsSteps([&] {
    return inner_.ReturnNodesAsUser(user, slurm_job, job, nodes, request_id);
  });
}

absl::StatusOr<SlurmStartEstimate> SteppedSubmitter::EstimateStartAsUser(
    const PosixUser& user, const Submission& submission,
    const std::string& request_id) {
  return inner_.EstimateStartAsUser(user, submission, request_id);
}

absl::StatusOr<LogText> SteppedSubmitter::ReadLogAsUser(
    const PosixUser& user, const LogPart& part, const std::string& request_id) {
  return inner_.ReadLogAsUser(user, part, request_id);
}

}  // namespace carme::backend::steps
