// What jobs used, from Slurm's accounting (slurmdbd).
#ifndef CARME_BACKEND_SLURM_ACCOUNTING_SLURM_USAGE_H_
#define CARME_BACKEND_SLURM_ACCOUNTING_SLURM_USAGE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/slurm/snapshot.h"
#include "common/ids.h"

namespace carme::backend {

// One run of a job or an array task. A requeued job has several.
struct AccountedRun {
  SlurmJobId id{};  // the array's id for an array
  bool is_array = false;
  std::optional<uint32_t>
      task{};                   // its index; absent: tasks that never started
  std::string waiting_tasks{};  // then these, "[3-7]"
  SlurmState state = SlurmState::kUnknown;
  int exit_code = 0;  // 128 + signal when it was killed
  std::vector<std::string> nodes{};
  std::optional<absl::Time> started{};
  // The user who cancelled it; kNoUid: Slurm itself.
  Uid cancelled_by{};
  Uid uid{};
  std::string comment{};  // empty where the site does not keep it
  std::string account{};
  absl::Time submitted{};
  absl::Time ended =
      absl::InfiniteFuture();  // InfiniteFuture: it has not ended
  // Run time without suspensions.
  absl::Duration elapsed{};
  int cpus = 0;
  int gpus = 0;
  std::vector<std::string> gpu_types{};  // if Slurm counts GPUs by type
};

// Reads slurmdbd.
class SlurmUsage {
 public:
  virtual ~SlurmUsage() = default;
  // Whether slurm.conf names a slurmdbd.
  virtual bool IsConfigured() const = 0;
  // The runs of these jobs that the user of this process may see. Blocks for
  // some seconds. UNAVAILABLE.
  virtual absl::StatusOr<std::vector<AccountedRun>> LoadRuns(
      const std::vector<SlurmJobId>& jobs) = 0;
};

// Thread-safe. libslurm may hang for a minute if slurmdbd does, so it is called
// on its own thread, one query at a time. A call waits for at most ten seconds
// until its query starts, and as long for the result.
class SlurmdbdUsage : public SlurmUsage {
 public:
  // REQUIRES: libslurm has read slurm.conf.
  SlurmdbdUsage();
  ~SlurmdbdUsage() override;
  bool IsConfigured() const override { return !cluster_.empty(); }
  absl::StatusOr<std::vector<AccountedRun>> LoadRuns(
      const std::vector<SlurmJobId>& jobs) override;

 private:
  struct State;
  std::string cluster_;  // empty: no slurmdbd
  std::shared_ptr<State> state_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_ACCOUNTING_SLURM_USAGE_H_
