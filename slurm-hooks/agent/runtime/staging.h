// Copies data to the job's scratch directory before its app starts, and results
// back when the job ends, on a thread, with progress reports on the loop.
//
// Thread safety: used on the loop's thread only. The destructor cancels a copy
// at the next file or block and does not wait for it: a file system that hangs
// must not block the agent.
#ifndef CARME_SLURM_HOOKS_AGENT_RUNTIME_STAGING_H_
#define CARME_SLURM_HOOKS_AGENT_RUNTIME_STAGING_H_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "carme/v1/agent.pb.h"
#include "common/clock.h"
#include "common/display_text.h"
#include "common/net/event_loop.h"
#include "common/net/task.h"
#include "slurm-hooks/agent/job/job_plan.h"

namespace carme::agent {

class Staging {
 public:
  using Report =
      std::function<void(const std::string& app, carme::v1::AppState state,
                         const DisplayText& detail)>;
  struct Directories {
    std::string home;
    std::string scratch;  // empty: no scratch directory
    mode_t umask = 077;   // for created directories
  };

  // `loop` and `clock` must outlive this.
  Staging(net::EventLoop& loop, const Clock& clock, Directories directories,
          Report report);
  ~Staging();

  // Copies all items in order. `direction` is kStageIn or kStageOut; `remark`
  // is appended to reports. Returns the first failure, without what it means
  // for the copies. CANCELLED: the loop stops.
  net::Task<absl::Status> Run(std::string direction,
                              std::vector<StagingItem> items,
                              DisplayText remark = DisplayText());

 private:
  struct Work;
  static void Copy(const std::shared_ptr<Work>& work);

  net::EventLoop& loop_;
  const Clock& clock_;
  const Directories directories_;
  const Report report_;
  std::shared_ptr<Work> work_;
};

// Resolves the path of an item: absolute paths stay, "~/" is the home
// directory, other paths are relative to `base`.
std::string StagePath(const std::string& path, const std::string& base,
                      const std::string& home);

// "1.2 GB".
std::string FormatBytes(uint64_t bytes);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_RUNTIME_STAGING_H_
