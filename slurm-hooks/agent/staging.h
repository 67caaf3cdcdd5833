// What is copied to a job's scratch before its app starts, and from there when
// the job ends: on a thread, with news on the loop.
//
// Thread rule: the loop's thread. What is under way when this goes is cut off
// at the next file or piece of one, and no one waits for it: a file system that
// does not answer must not keep the agent.
#ifndef CARME_SLURM_HOOKS_AGENT_STAGING_H_
#define CARME_SLURM_HOOKS_AGENT_STAGING_H_

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
#include "common/net/event_loop.h"
#include "common/net/task.h"
#include "slurm-hooks/agent/job_plan.h"

namespace carme::agent {

class Staging {
 public:
  using Report =
      std::function<void(const std::string& app, carme::v1::AppState state,
                         const std::string& detail)>;
  struct Places {
    std::string home;
    std::string scratch;  // empty: the job has none
    mode_t umask = 077;   // for directories that are made
  };

  // `loop` and `clock` must outlive this.
  Staging(net::EventLoop& loop, const Clock& clock, Places places,
          Report report);
  ~Staging();

  // Copies all, one after the other; `direction` is kStageIn or kStageOut,
  // `remark` ends what is reported. The first failure, in words for the user;
  // CANCELLED: the loop stops.
  net::Task<absl::Status> Run(std::string direction,
                              std::vector<StageItem> items,
                              std::string remark = "");

 private:
  struct Work;
  static void Copy(const std::shared_ptr<Work>& work);

  net::EventLoop& loop_;
  const Clock& clock_;
  const Places places_;
  const Report report_;
  std::shared_ptr<Work> work_;
};

// Where an item's path lies: absolute as it is, else below `base`. "~/" is the
// home.
std::string StagePath(const std::string& path, const std::string& base,
                      const std::string& home);

// "3 files", "1.2 GB".
std::string CountWords(uint64_t files);
std::string ByteWords(uint64_t bytes);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_STAGING_H_
