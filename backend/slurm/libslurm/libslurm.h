// What differs between releases of libslurm, whose API and ABI are not stable.
// Other files include libslurm through this folder, and use calls, fields and
// constants that all supported releases have: 22.05 to 26.05.
//
// A program works with the release that it was built with only. Undeclared
// functions are weak symbols.
#ifndef CARME_BACKEND_SLURM_LIBSLURM_LIBSLURM_H_
#define CARME_BACKEND_SLURM_LIBSLURM_LIBSLURM_H_

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

static_assert(SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(22, 5, 0),
              "libslurm 22.05 or later is needed");

namespace carme {

// Reads slurm.conf and loads the client plugins, so that no later call has to.
// Does no network I/O. REQUIRES: a valid slurm.conf; otherwise libslurm ends
// the process.
void InitSlurm(const std::string& conf);

// The ports of slurmctld in slurm.conf. Empty: this libslurm does not report
// them. REQUIRES: InitSlurm().
std::vector<uint16_t> ControllerPorts();

struct SlurmctldAddress {
  std::string host;
  uint16_t port = 0;
};
// The controllers in slurm.conf, the primary first. Empty: this libslurm does
// not report them. REQUIRES: InitSlurm() or SlurmQuery.
std::vector<SlurmctldAddress> SlurmctldAddresses();

struct SlurmUserName {
  uint32_t uid = 0;
  std::string name;
};
// SlurmUser of slurm.conf; root if it names none. Empty: this libslurm does not
// report it. REQUIRES: InitSlurm().
std::optional<SlurmUserName> SlurmUserOfConf();

// The cluster that slurm.conf names, if it has accounting by slurmdbd;
// otherwise empty, also if this libslurm does not report it. REQUIRES:
// InitSlurm() or SlurmQuery.
std::string SlurmdbdClusterOfConf();

// The error of the last call of libslurm in this thread. Read it right after
// the call.
int SlurmErrno();

// slurm_load_job(), slurm_job_batch_script(), slurm_get_job_steps() and
// slurm_free_ctl_conf(), whose arguments or names differ. The first three
// return SLURM_SUCCESS, or set SlurmErrno().
int LoadSlurmJob(uint32_t job, job_info_msg_t** loaded);
int LoadSlurmScript(uint32_t job, FILE* out);
int LoadSlurmSteps(uint32_t job, job_step_info_response_msg_t** loaded);
void FreeSlurmConf(slurm_conf_t* conf);

// The id of a submitted job.
uint32_t SubmittedJob(const submit_response_msg_t& submitted);

// A job with all of its steps, or all tasks of an array. Its members differ.
slurm_selected_step_t SelectJob(uint32_t job);

// The message of slurm_strerror() in our style: lower case, no period.
std::string SlurmErrorText(int error);

// What an error of a call to the controller means for its effect.
enum class SlurmFailure {
  kRefused,      // the controller refused
  kUnreachable,  // the message did not reach the controller
  kUnknown,      // the message may have arrived, the response did not
};
SlurmFailure FailureOf(int error);
// The job has ended, or was purged.
bool MeansJobIsOver(int error);

// "n[1-2],x" → n1, n2, x. At most 65,536 names; empty if invalid.
std::vector<std::string> ExpandHostlist(const std::string& list);

// Slurm's reason, such as "Resources"; empty if there is none.
std::string ReasonOf(const slurm_job_info_t& job);

struct NodeUse {
  int cpus = 0;
  int64_t memory_mib = 0;
};
NodeUse UseOf(const node_info_t& node);

// How many nodes a reservation gets: a number, before 23.11 a list that ends
// with 0. `list` must outlive `description`.
void SetNodeCount(uint32_t nodes, std::array<uint32_t, 2>* list,
                  resv_desc_msg_t* description);

// A value for tres_per_node of job_desc_msg_t: "gres/gpu:h200:2", before 23.11
// "gres:gpu:h200:2".
std::string GpuRequest(std::string_view type, int count);

}  // namespace carme

#endif  // CARME_BACKEND_SLURM_LIBSLURM_LIBSLURM_H_
