// Counts the steps of a backend as they happen: each write of SQLite to a file,
// and each call to Slurm, before and after it. A test kills the process, or
// lets writes fail, at step 1, 2, … until none is left, so that it also covers
// steps that later changes add.
#ifndef CARME_TESTS_BACKEND_JOBS_STEPS_H_
#define CARME_TESTS_BACKEND_JOBS_STEPS_H_

#include <memory>
#include <string>
#include <vector>

#include "backend/slurm/submitter.h"

namespace carme::backend::steps {

enum class Fault {
  kDeath,       // the process ends before the step
  kDiskFull,    // this write and all later ones fail: no space is left
  kWriteFails,  // this one write fails with an I/O error
};

// The exit code after kDeath.
inline constexpr int kDeathCode = 99;

// Counts from now on, from 1, in all threads.
void Arm(Fault fault, int step);
// Whether the fault happened; nothing fails from now on.
bool Disarm();

// Counts calls to Slurm as steps. Disk faults do not affect them.
class SteppedSubmitter : public Submitter {
 public:
  explicit SteppedSubmitter(Submitter* inner) : inner_(*inner) {}
  std::unique_ptr<PreparedSubmission> Prepare(
      const PosixUser& user, const Submission& submission,
      const std::string& request_id) override;
  absl::Status CancelAsUser(const PosixUser& user, SlurmJobId slurm_job,
                            const JobId& job,
                            const std::string& request_id) override;
  absl::Status UpdateAsUser(const PosixUser& user, SlurmJobId slurm_job,
                            const JobId& job, const JobChange& change,
                            const std::string& request_id) override;
  absl::Status ExtendForUser(const PosixUser& user, SlurmJobId slurm_job,
                             const JobId& job, absl::Duration walltime,
                             const std::string& request_id) override;
  absl::Status ReturnNodesAsUser(const PosixUser& user, SlurmJobId slurm_job,
                                 const JobId& job,
                                 const std::vector<std::string>& nodes,
                                 const std::string& request_id) override;
  absl::StatusOr<SlurmStartEstimate> EstimateStartAsUser(
      const PosixUser& user, const Submission& submission,
      const std::string& request_id) override;
  absl::StatusOr<LogText> ReadLogAsUser(const PosixUser& user,
                                        const LogPart& part,
                                        const std::string& request_id) override;

 private:
  Submitter& inner_;
};

}  // namespace carme::backend::steps

#endif  // CARME_TESTS_BACKEND_JOBS_STEPS_H_
