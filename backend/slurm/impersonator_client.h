// Submits and cancels through carme-impersonator's unix socket.
#ifndef CARME_BACKEND_SLURM_IMPERSONATOR_CLIENT_H_
#define CARME_BACKEND_SLURM_IMPERSONATOR_CLIENT_H_

#include <string>

#include "backend/slurm/slurm_config.h"
#include "backend/slurm/submitter.h"

namespace carme::privileged::v1 {
class Request;
class Response;
}  // namespace carme::privileged::v1

namespace carme {

// Thread-safe: each call has a connection of its own, so that an impersonator
// that was restarted is found again by itself.
class ImpersonatorClient : public Submitter {
 public:
  explicit ImpersonatorClient(ImpersonatorClientConfig config);
  absl::StatusOr<SlurmJobId> SubmitAsUser(
      const PosixUser& user, const Submission& submission,
      const std::string& request_id) override;
  absl::Status CancelAsUser(const PosixUser& user, SlurmJobId slurm_job,
                            const JobId& job,
                            const std::string& request_id) override;

 private:
  absl::StatusOr<privileged::v1::Response> Ask(
      const privileged::v1::Request& request) const;

  const ImpersonatorClientConfig config_;
};

}  // namespace carme

#endif  // CARME_BACKEND_SLURM_IMPERSONATOR_CLIENT_H_
