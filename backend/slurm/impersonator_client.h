// Acts on Slurm as a user through carme-impersonator's unix socket.
#ifndef CARME_BACKEND_SLURM_IMPERSONATOR_CLIENT_H_
#define CARME_BACKEND_SLURM_IMPERSONATOR_CLIENT_H_

#include <memory>
#include <string>
#include <vector>

#include "backend/slurm/reserver.h"
#include "backend/slurm/slurm_config.h"
#include "backend/slurm/submitter.h"
#include "backend/storage/storage_reader.h"

namespace carme {

// Thread-safe: each call has a connection of its own, so that an impersonator
// that was restarted is found again by itself.
class ImpersonatorClient : public Submitter,
                           public StorageReader,
                           public Reserver {
 public:
  explicit ImpersonatorClient(ImpersonatorClientConfig config);
  std::unique_ptr<AnnouncedSubmission> Announce(
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
  absl::StatusOr<Foresight> ForeseeAsUser(
      const PosixUser& user, const Submission& submission,
      const std::string& request_id) override;
  absl::StatusOr<LogText> ReadLogAsUser(const PosixUser& user,
                                        const LogPart& part,
                                        const std::string& request_id) override;
  absl::StatusOr<std::vector<StorageArea>> ReadStorageAsUser(
      const PosixUser& user, const std::string& request_id) override;
  absl::Status Reserve(const PosixUser& owner, const NodeBooking& booking,
                       const std::string& request_id) override;
  absl::Status SetUsers(const PosixUser& owner, const NodeBooking& booking,
                        const std::string& request_id) override;
  absl::Status Unreserve(const PosixUser& owner, const std::string& name,
                         const std::string& request_id) override;

 private:
  const ImpersonatorClientConfig config_;
};

}  // namespace carme

#endif  // CARME_BACKEND_SLURM_IMPERSONATOR_CLIENT_H_
