// What jobs used, as Slurm's accounting has it (slurmdbd).
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

// One run of a job or of an array's task: what was requeued has several.
struct AccountedRun {
  SlurmJobId id{};  // of an array: the array's
  bool is_array = false;
  std::optional<uint32_t>
      task{};                   // its index; absent: tasks that never started
  std::string waiting_tasks{};  // then these, "[3-7]"
  SlurmState state = SlurmState::kUnknown;
  int exit_code = 0;  // 128 + signal when it was killed
  std::vector<std::string> nodes{};
  std::optional<absl::Time> started{};
  // Who cancelled it; kNoUid: Slurm itself.
  Uid cancelled_by{};
  Uid uid{};
  std::string comment{};  // empty where the site does not keep it
  std::string account{};
  absl::Time submitted{};
  absl::Time ended = absl::InfiniteFuture();  // that it has not: InfiniteFuture
  // Running, without the time that it was suspended.
  absl::Duration elapsed{};
  int cpus = 0;
  int gpus = 0;
  std::vector<std::string> gpu_types{};  // where Slurm counts them by type
};

// The seam to slurmdbd.
class SlurmUsage {
 public:
  virtual ~SlurmUsage() = default;
  // Whether slurm.conf names a slurmdbd at all.
  virtual bool IsThere() const = 0;
  // The runs of these jobs, as far as the caller's user may see them. Blocks
  // for some seconds at most. UNAVAILABLE.
  virtual absl::StatusOr<std::vector<AccountedRun>> RunsOf(
      const std::vector<SlurmJobId>& jobs) = 0;
};

// Thread-safe. libslurm may hang for a minute where slurmdbd does; so it is
// called on a thread of its own, which has one question at a time. A call waits
// for at most ten seconds for its turn, and as long for the answer.
class SlurmdbdUsage : public SlurmUsage {
 public:
  // REQUIRES: libslurm has read slurm.conf.
  SlurmdbdUsage();
  ~SlurmdbdUsage() override;
  bool IsThere() const override { return !cluster_.empty(); }
  absl::StatusOr<std::vector<AccountedRun>> RunsOf(
      const std::vector<SlurmJobId>& jobs) override;

 private:
  struct State;
  std::string cluster_;  // empty: there is no slurmdbd
  std::shared_ptr<State> state_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_ACCOUNTING_SLURM_USAGE_H_
