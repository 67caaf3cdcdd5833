// A SlurmQuery on a thread of its own, because nothing can interrupt libslurm
// while its controller hangs.
#ifndef CARME_BACKEND_SLURM_POLL_ASYNC_SLURM_QUERY_H_
#define CARME_BACKEND_SLURM_POLL_ASYNC_SLURM_QUERY_H_

#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/slurm/query/slurm_query.h"
#include "backend/slurm/slurm_config.h"

namespace carme::backend {

using SlurmAnswer = absl::StatusOr<SlurmFacts>;

// For one caller. The destructor does not wait for a question that hangs: its
// thread ends by itself when libslurm lets go, or with the process.
class AsyncSlurmQuery {
 public:
  // REQUIRES: CheckSlurmConf(config) is OK.
  explicit AsyncSlurmQuery(const SlurmConfig& config);
  ~AsyncSlurmQuery();
  // Asks for all that Slurm has, or only for some jobs; unless the last
  // question has no answer yet, or one that nobody took. Does not block.
  // `scope`: what else to ask for, of a question for all.
  void Ask(std::vector<SlurmJobId> jobs = {}, PollScope scope = {});
  // As Scheduler's, from the next question on. Thread-safe.
  void Track(SlurmJobId job);
  void TrackOnly(std::set<SlurmJobId> jobs);
  // Blocks for at most `timeout`; each answer is given once.
  std::optional<SlurmAnswer> Wait(absl::Duration timeout);
  // The processor time that the last answer took in this process: of a cluster
  // with many jobs most of it is libslurm's, for reading them all.
  absl::Duration Cost() const;

 private:
  struct State;
  static void Serve(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_POLL_ASYNC_SLURM_QUERY_H_
