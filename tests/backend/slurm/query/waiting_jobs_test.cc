#include "backend/slurm/query/waiting_jobs.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>

namespace carme::backend {
namespace {

slurm_job_info_t Waiting(std::string& partition, uint32_t priority,
                         uint32_t reason = WAIT_PRIORITY) {
  slurm_job_info_t job{};
  job.job_state = JOB_PENDING;
  job.partition = partition.data();
  job.priority = priority;
  job.state_reason = static_cast<decltype(job.state_reason)>(reason);
  return job;
}

TEST_CASE("waiting jobs: counts only jobs that wait for resources or priority",
          "[backend]") {
  std::string main = "main", both = "main,long", other = "long";
  WaitingJobs waiting;
  waiting.Add(Waiting(main, 10, WAIT_RESOURCES));
  waiting.Add(Waiting(both, 20));
  waiting.Add(Waiting(main, 30, WAIT_DEPENDENCY));
  waiting.Add(Waiting(main, 30, WAIT_TIME));
  waiting.Add(Waiting(main, 0, WAIT_HELD_USER));
  slurm_job_info_t running = Waiting(main, 40);
  running.job_state = JOB_RUNNING;
  waiting.Add(running);
  waiting.Add(Waiting(main, 5));
  waiting.Sort();
  CHECK(waiting.Counts() ==
        std::map<std::string, int>{{"long", 1}, {"main", 3}});
  CHECK(waiting.AheadOf(Waiting(main, 5)) == 2);
  CHECK(waiting.AheadOf(Waiting(main, 10)) == 1);
  CHECK(waiting.AheadOf(Waiting(both, 20)) == 0);
  CHECK(waiting.AheadOf(Waiting(other, 5)) == 1);
  CHECK(waiting.AheadOf(Waiting(main, 0, WAIT_HELD_USER)) == 0);
  CHECK(waiting.AheadOf(running) == 0);
}

}  // namespace
}  // namespace carme::backend
