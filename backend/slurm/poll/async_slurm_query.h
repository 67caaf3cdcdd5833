// Runs a SlurmQuery on its own thread, because libslurm cannot be interrupted
// while the controller hangs.
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

using SlurmQueryResult = absl::StatusOr<SlurmFacts>;

// For one caller. The destructor does not wait for a query that hangs: its
// thread ends when libslurm returns, or with the process.
class AsyncSlurmQuery {
 public:
  // REQUIRES: CheckSlurmConf(config) is OK.
  explicit AsyncSlurmQuery(const SlurmConfig& config);
  ~AsyncSlurmQuery();
  // Starts a query of everything, or only of `jobs`. Does nothing if the last
  // query still runs or its result was not taken. Does not block.
  // `scope`: what a query of everything must include beside jobs.
  void Start(std::vector<SlurmJobId> jobs = {}, PollScope scope = {});
  // As in Scheduler, from the next query on. Thread-safe.
  void Track(SlurmJobId job);
  void TrackOnly(std::set<SlurmJobId> jobs);
  // Blocks for at most `timeout`. Returns each result once.
  std::optional<SlurmQueryResult> Wait(absl::Duration timeout);
  // The CPU time of the last query in this process. With many jobs most of it
  // is spent in libslurm, which decodes them all.
  absl::Duration Cost() const;

 private:
  struct State;
  static void Serve(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_POLL_ASYNC_SLURM_QUERY_H_
