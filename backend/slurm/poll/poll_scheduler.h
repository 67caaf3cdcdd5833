// Which look at Slurm comes next, at all of it or at some jobs, and when.
#ifndef CARME_BACKEND_SLURM_POLL_POLL_SCHEDULER_H_
#define CARME_BACKEND_SLURM_POLL_POLL_SCHEDULER_H_

#include <map>
#include <vector>

#include "absl/time/time.h"
#include "backend/slurm/poll/poll_interval.h"
#include "backend/slurm/snapshot.h"
#include "common/ids.h"

namespace carme::backend {

// A look at all takes the longer the more jobs Slurm has, and is paced by what
// it costs on the average: some looks ask for nodes, too, and cost more. A wish
// for one job is met by asking Slurm for that job alone; or by a look at all,
// where that costs little, where many wish, and while Slurm does not answer.
// Not thread-safe; asks no clock.
class PollScheduler {
 public:
  static constexpr size_t kMaxJobs = 32;  // of one look
  static constexpr size_t kMaxWishes = 1000;

  explicit PollScheduler(absl::Duration interval);

  // Something has changed.
  void RefreshSoon() { hurried_ = true; }
  // Something of this job has changed.
  void RefreshJob(SlurmJobId job, absl::Time now);
  // This job is about to end: it is looked at now and every second, or two
  // where the interval is as long, until it has, for ten seconds.
  void TrackUntilEnd(SlurmJobId job, absl::Time now);

  absl::Time NextAt(absl::Time now) const;
  // The jobs to ask for; none: all. REQUIRES: NextAt(now) <= now.
  std::vector<SlurmJobId> Begin(absl::Time now);
  // The look that was begun took so much of a processor's time, and is in
  // `snapshot`.
  void End(absl::Duration cost, const SlurmSnapshot& snapshot);

 private:
  struct Wish {
    absl::Time due;
    absl::Time until;
  };
  absl::Time WholeAt() const;
  absl::Time SomeAt() const;
  absl::Time EarliestWish() const;
  bool AsksForSome() const;
  void Wait(SlurmJobId job, absl::Time now, absl::Duration timeout);
  void Meet(absl::Time now, std::map<SlurmJobId, Wish>::iterator* wish);

  const absl::Duration interval_;
  PollInterval pace_;
  absl::Duration whole_cost_;  // a sliding average
  absl::Duration some_pace_;
  absl::Time whole_at_ = absl::InfinitePast();  // when the last one began
  absl::Time some_at_ = absl::InfinitePast();
  bool hurried_ = false;
  bool reachable_ = false;
  bool is_some_ = false;  // the look that was begun last
  std::map<SlurmJobId, Wish> wishes_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_POLL_POLL_SCHEDULER_H_
