// What Carme is compared with: a process that is the user, records the job as
// the backend does, and submits it by itself.
#ifndef CARME_TESTS_BENCH_SUPPORT_SUBMIT_PEER_H_
#define CARME_TESTS_BENCH_SUPPORT_SUBMIT_PEER_H_

#include <sys/types.h>

#include <string>

#include "absl/time/time.h"

namespace carme {

// Construct before the first thread, because it forks.
class SubmitPeer {
 public:
  // The process's record is a database of its own below `work`.
  SubmitPeer(const std::string& work, const std::string& user, uid_t uid);
  ~SubmitPeer();

  absl::Duration RecordOnly() { return Call('r'); }
  absl::Duration Bare() { return Call('b'); }    // slurm_submit_batch_job
  absl::Duration Sbatch() { return Call('s'); }  // a process a job
  // Without a record: bare submissions, and a process that asks when one job
  // would start.
  absl::Duration Fill() { return Call('f'); }
  absl::Duration FillNode() { return Call('n'); }  // with four GPUs
  absl::Duration TestOnly() { return Call('t'); }
  absl::Duration Squeue() { return Call('q'); }
  absl::Duration SqueueOfUser() { return Call('u'); }

 private:
  absl::Duration Call(char what);
  int socket_;
};

}  // namespace carme

#endif  // CARME_TESTS_BENCH_SUPPORT_SUBMIT_PEER_H_
