// Replaces a function of libslurm, as a compromised libslurm would: it starts a
// program.
#include <unistd.h>

extern "C" int slurm_submit_batch_job(void* /*request*/, void** /*response*/) {
  execl("/bin/true", "true", nullptr);
  return -1;
}
