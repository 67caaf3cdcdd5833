// A carme-impersonator, and requests to it.
#ifndef CARME_TESTS_BACKEND_PRIVILEGED_IMPERSONATOR_PROCESS_H_
#define CARME_TESTS_BACKEND_PRIVILEGED_IMPERSONATOR_PROCESS_H_

#include <sys/types.h>

#include <string>

#include "absl/time/time.h"
#include "carme/privileged/v1/privileged.pb.h"
#include "tests/backend/privileged/root_program_process.h"
#include "tests/support/wait_for.h"

namespace carme::impersonator {

using testing::AsUser;
using testing::kBackendUid;
using testing::OutputOf;
using testing::ThreadAsUser;
using testing::WaitFor;

class ImpersonatorProcess : public testing::RootProgramProcess {
 public:
  // `settings` are lines of TOML instead of the test's own. The agent is
  // a script that prints its user and its environment, then sleeps.
  explicit ImpersonatorProcess(const std::string& settings = "")
      : ImpersonatorProcess(settings, Ways{}) {}
  ImpersonatorProcess(const std::string& settings, Ways ways);

  // Sends `bytes` as they are and reads one answer. Without an answer its
  // outcome is OUTCOME_UNSPECIFIED.
  privileged::v1::Response Exchange(
      const std::string& bytes,
      absl::Duration timeout = testing::kWaitTimeout) const;
  privileged::v1::Response Ask(const privileged::v1::Request& request) const;
  // With a new Carme job id.
  privileged::v1::Response Submit(const std::string& user, uid_t uid,
                                  std::string* carme_id = nullptr) const;
};

// What a backend sends: the request, and for a submission its commit.
std::string BytesOf(const privileged::v1::Request& request);

// Ends every job of the cluster at the end of the scope.
struct EndJobs {
  ~EndJobs();
};

}  // namespace carme::impersonator

#endif  // CARME_TESTS_BACKEND_PRIVILEGED_IMPERSONATOR_PROCESS_H_
