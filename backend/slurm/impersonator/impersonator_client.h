// Runs Slurm operations as a user through carme-impersonator's unix socket.
#ifndef CARME_BACKEND_SLURM_IMPERSONATOR_IMPERSONATOR_CLIENT_H_
#define CARME_BACKEND_SLURM_IMPERSONATOR_IMPERSONATOR_CLIENT_H_

#include <memory>
#include <string>
#include <vector>

#include "backend/logs/root_program_log.h"
#include "backend/slurm/node_updater.h"
#include "backend/slurm/reserver.h"
#include "backend/slurm/scheduler.h"
#include "backend/slurm/slurm_config.h"
#include "backend/slurm/submitter.h"
#include "common/availability.h"
#include "common/metrics/operation_meter.h"

namespace carme::privileged::v1 {
class Request;
class Response;
}  // namespace carme::privileged::v1

namespace carme::backend {

// Thread-safe. Each call uses its own connection, so a restart of the
// impersonator needs no reconnection.
class ImpersonatorClient : public Submitter,
                           public Reserver,
                           public NodeUpdater {
 public:
  // While `scheduler` reports Slurm as unreachable, operations that need Slurm
  // return UNAVAILABLE at once, and running ones return DEADLINE_EXCEEDED.
  // Null: only the time-out applies. Responses are entered into `logs`, unless
  // it is null.
  explicit ImpersonatorClient(ImpersonatorClientConfig config,
                              const Scheduler* scheduler = nullptr,
                              ServiceLog* logs = nullptr);
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
  absl::Status Reserve(const PosixUser& owner,
                       const ReservationRequest& reservation,
                       const std::string& request_id) override;
  absl::Status SetUsers(const PosixUser& owner,
                        const ReservationRequest& reservation,
                        const std::string& request_id) override;
  absl::Status ReserveForMaintenance(const PosixUser& owner,
                                     const MaintenanceReservation& reservation,
                                     const std::string& request_id) override;
  absl::Status Unreserve(const PosixUser& owner, const std::string& name,
                         const std::string& request_id) override;
  absl::Status Drain(const PosixUser& administrator,
                     const std::vector<std::string>& nodes,
                     const std::string& reason,
                     const std::string& request_id) override;
  absl::Status Resume(const PosixUser& administrator,
                      const std::vector<std::string>& nodes,
                      const std::string& request_id) override;

  // Whether the impersonator responds, as of its last use; the response itself
  // does not matter.
  const Availability& availability() const { return availability_; }
  // By operation and status code. A prepared submission runs until it is
  // submitted; CANCELLED: it was not.
  const OperationMeter& operations() const { return operations_; }
  // If it was not used within the last minute: connects and waits until the
  // impersonator accepts the connection, without a request. Blocks for at most
  // three seconds.
  void ProbeIdle();

 private:
  // Runs an operation that needs no commit. The status is that of the outcome.
  absl::StatusOr<privileged::v1::Response> Run(
      const privileged::v1::Request& request);
  absl::StatusOr<privileged::v1::Response> Exchange(
      const privileged::v1::Request& request);

  const ImpersonatorClientConfig config_;
  const Scheduler* const scheduler_;
  const RootProgramLog log_;
  Availability availability_;
  OperationMeter operations_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_IMPERSONATOR_IMPERSONATOR_CLIENT_H_
