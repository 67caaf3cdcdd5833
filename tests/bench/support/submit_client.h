// A frontend's view of SubmitJob: mutual TLS, a session, one call a job.
#ifndef CARME_TESTS_BENCH_SUPPORT_SUBMIT_CLIENT_H_
#define CARME_TESTS_BENCH_SUPPORT_SUBMIT_CLIENT_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace carme {

class SubmitClient {
 public:
  // With these sessions, one after the other. `pki` as NewFrontendChannel has
  // it.
  SubmitClient(const std::string& address, const std::string& pki,
               std::vector<std::string> tokens);
  ~SubmitClient();
  // Until the answer with the job's id is here; tried again where it has to be.
  absl::Duration Submit();
  // Until the answer with the start estimate is here; of a job of so many
  // minutes.
  absl::Duration Preview(int minutes);
  // Until the session's jobs are here.
  absl::Duration List();
  // A call that submits nothing: GetSession.
  absl::Duration CallOnly();

 private:
  struct Stubs;
  const std::string& NextToken();

  std::unique_ptr<Stubs> stubs_;
  std::vector<std::string> tokens_;
  size_t next_ = 0;
};

}  // namespace carme

#endif  // CARME_TESTS_BENCH_SUPPORT_SUBMIT_CLIENT_H_
