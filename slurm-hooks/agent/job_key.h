// The job's own key pair. It lives in this process's memory and nowhere else.
#ifndef CARME_SLURM_HOOKS_AGENT_JOB_KEY_H_
#define CARME_SLURM_HOOKS_AGENT_JOB_KEY_H_

#include <string>

#include "absl/status/statusor.h"

namespace carme::agent {

struct JobKey {
  std::string private_pem;
  std::string csr_pem;  // PKCS #10 with an empty subject, signed by the key
};

// A new P-256 key. INTERNAL when OpenSSL cannot make one.
absl::StatusOr<JobKey> NewJobKey();

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_JOB_KEY_H_
