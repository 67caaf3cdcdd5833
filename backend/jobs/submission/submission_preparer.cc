#include "backend/jobs/submission/submission_preparer.h"

#include <utility>

namespace carme::backend {

SubmissionPreparer::Preparation SubmissionPreparer::Start(
    const PosixUser& user, const Submission& submission,
    const std::string& request_id) {
  auto prepare = [submitter = submitter_, user, submission, request_id] {
    return submitter->Prepare(user, submission, request_id);
  };
  // Shared: std::function requires a task that can be copied.
  auto task = std::make_shared<
      std::packaged_task<std::unique_ptr<PreparedSubmission>()>>(prepare);
  Preparation started = task->get_future();
  if (pool_.Add([task] { (*task)(); })) return started;
  return std::async(std::launch::deferred, std::move(prepare));
}

}  // namespace carme::backend
