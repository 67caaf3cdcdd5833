#include "backend/slurm/libslurm/libslurm.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/unique_fd.h"

extern "C" {
// Exported, but in no header: the first up to 22.05, the second later.
__attribute__((weak)) char* slurm_job_reason_string(int reason);
__attribute__((weak)) char* slurm_job_state_reason_string(int reason);
// Exported, but in no header; missing where slurm_init() loads every plugin.
__attribute__((weak)) int slurm_auth_init(char* type);
extern __attribute__((weak)) slurm_conf_t slurm_conf;
}

namespace carme {
namespace {

constexpr int kMaxHosts = 65536;

#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
// Before 23.02, the first call loads the plugins, not slurm_init(). A query
// about no node loads those of select/ and prints an error to stderr.
void LoadPlugins() {
  const UniqueFd stderr_copy(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3));
  const UniqueFd null(open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (null.valid()) dup2(null.get(), STDERR_FILENO);
  uint16_t cpus = 0;
  slurm_get_select_nodeinfo(nullptr, SELECT_NODEDATA_SUBCNT,
                            NODE_STATE_ALLOCATED, &cpus);
  if (slurm_auth_init != nullptr) slurm_auth_init(nullptr);
  // Only a network call loads this one. It is enough that it is in memory.
  if (&slurm_conf != nullptr && slurm_conf.plugindir != nullptr) {
    const std::string hash = absl::StrCat(slurm_conf.plugindir, "/hash_k12.so");
    dlopen(hash.c_str(), RTLD_LAZY);
  }
  if (stderr_copy.valid()) dup2(stderr_copy.get(), STDERR_FILENO);
}
#else
void LoadPlugins() {}
#endif

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
slurm_step_id_t StepOf(uint32_t job) {
  slurm_step_id_t step = SLURM_STEP_ID_INITIALIZER;
  step.job_id = job;
  return step;
}
#else
uint32_t StepOf(uint32_t job) { return job; }
#endif

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0)
constexpr char kGpuGres[] = "gres/gpu:";
#else
constexpr char kGpuGres[] = "gres:gpu:";
#endif

}  // namespace

void InitSlurm(const std::string& conf) {
  slurm_init(conf.c_str());
  LoadPlugins();
}

std::vector<uint16_t> ControllerPorts() {
  std::vector<uint16_t> ports;
  if (&slurm_conf == nullptr) return ports;
  for (uint32_t i = 0; i < slurm_conf.slurmctld_port_count; ++i) {
    ports.push_back(static_cast<uint16_t>(slurm_conf.slurmctld_port + i));
  }
  return ports;
}

std::vector<SlurmctldAddress> SlurmctldAddresses() {
  std::vector<SlurmctldAddress> addresses;
  if (&slurm_conf == nullptr) return addresses;
  for (uint32_t i = 0; i < slurm_conf.control_cnt; ++i) {
    const char* host = slurm_conf.control_addr[i] != nullptr
                           ? slurm_conf.control_addr[i]
                           : slurm_conf.control_machine[i];
    if (host == nullptr) continue;
    addresses.push_back(
        {.host = host,
         .port = static_cast<uint16_t>(slurm_conf.slurmctld_port)});
  }
  return addresses;
}

std::optional<SlurmUserName> SlurmUserOfConf() {
  if (&slurm_conf == nullptr || slurm_conf.slurm_user_name == nullptr) {
    return std::nullopt;
  }
  return SlurmUserName{.uid = slurm_conf.slurm_user_id,
                       .name = slurm_conf.slurm_user_name};
}

std::string SlurmdbdClusterOfConf() {
  if (&slurm_conf == nullptr || slurm_conf.accounting_storage_type == nullptr ||
      slurm_conf.cluster_name == nullptr) {
    return "";
  }
  const std::string_view type = slurm_conf.accounting_storage_type;
  return type.ends_with("slurmdbd") ? slurm_conf.cluster_name : "";
}

// slurm_get_errno() did the same until it was removed.
int SlurmErrno() { return errno; }

int LoadSlurmJob(uint32_t job, job_info_msg_t** loaded) {
  return slurm_load_job(loaded, StepOf(job), SHOW_ALL);
}

int LoadSlurmScript(uint32_t job, FILE* out) {
  return slurm_job_batch_script(out, StepOf(job));
}

int LoadSlurmSteps(uint32_t job, job_step_info_response_msg_t** loaded) {
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 11, 0)
  slurm_step_id_t step = SLURM_STEP_ID_INITIALIZER;
  step.job_id = job;
  return slurm_get_job_steps(&step, loaded, SHOW_ALL | SHOW_LOCAL);
#else
  return slurm_get_job_steps(0, job, NO_VAL, loaded, SHOW_ALL | SHOW_LOCAL);
#endif
}

void FreeSlurmConf(slurm_conf_t* conf) {
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
  slurm_free_conf(conf);
#else
  slurm_free_ctl_conf(conf);
#endif
}

uint32_t SubmittedJob(const submit_response_msg_t& submitted) {
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
  return submitted.step_id.job_id;
#else
  return submitted.job_id;
#endif
}

slurm_selected_step_t SelectJob(uint32_t job) {
  slurm_selected_step_t selected{};
  selected.array_task_id = NO_VAL;
  selected.het_job_offset = NO_VAL;
  selected.step_id.job_id = job;
  selected.step_id.step_het_comp = NO_VAL;
  selected.step_id.step_id = NO_VAL;
  return selected;
}

std::string SlurmErrorText(int error) {
  const char* text = slurm_strerror(error);
  std::string sentence = text != nullptr ? text : "unknown error";
  absl::StripTrailingAsciiWhitespace(&sentence);
  while (!sentence.empty() && sentence.back() == '.') sentence.pop_back();
  // "Invalid" becomes "invalid"; "QOS" is unchanged.
  if (sentence.size() > 1 && !absl::ascii_isupper(sentence[1])) {
    sentence[0] = absl::ascii_tolower(sentence[0]);
  }
  return sentence;
}

SlurmFailure FailureOf(int error) {
  switch (error) {
    case SLURM_COMMUNICATIONS_CONNECTION_ERROR:
    case SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR:
    case SLURM_COMMUNICATIONS_MISSING_SOCKET_ERROR:
    case ESLURM_IN_STANDBY_MODE:
    case ESLURM_IN_STANDBY_USE_BACKUP:
    case ESLURM_AUTH_CRED_INVALID:
    // slurmctld could not read the request, or this process the refusal.
    case SLURM_PROTOCOL_VERSION_ERROR:
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
    case ESLURM_AUTH_NET_ERROR:
    case ESLURM_AUTH_UNABLE_TO_SIGN:
#else
    // Limits of requests per user (SlurmctldParameters=rl_enable).
    case SLURMCTLD_COMMUNICATIONS_BACKOFF:
#endif
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 5, 0)
    case SLURMCTLD_COMMUNICATIONS_HARD_DROP:
#endif
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
    case SLURM_COMMUNICATIONS_CONNECT_TIMEOUT:
#endif
      return SlurmFailure::kUnreachable;
    case SLURM_UNEXPECTED_MSG_ERROR:
    case SLURM_COMMUNICATIONS_SEND_ERROR:
    case SLURM_COMMUNICATIONS_RECEIVE_ERROR:
    case SLURM_COMMUNICATIONS_SHUTDOWN_ERROR:
    case SLURMCTLD_COMMUNICATIONS_SEND_ERROR:
    case SLURMCTLD_COMMUNICATIONS_RECEIVE_ERROR:
    case SLURMCTLD_COMMUNICATIONS_SHUTDOWN_ERROR:
    case SLURM_PROTOCOL_AUTHENTICATION_ERROR:
    case SLURM_PROTOCOL_INSANE_MSG_LENGTH:
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
    case SLURM_PROTOCOL_SOCKET_IMPL_ZERO_RECV_LENGTH:
    case SLURM_PROTOCOL_SOCKET_IMPL_NEGATIVE_RECV_LENGTH:
    case SLURM_PROTOCOL_SOCKET_IMPL_NOT_ALL_DATA_SENT:
#endif
    case ESLURM_PROTOCOL_INCOMPLETE_PACKET:
    case SLURM_PROTOCOL_SOCKET_IMPL_TIMEOUT:
    case SLURM_PROTOCOL_SOCKET_ZERO_BYTES_SENT:
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
    case SLURM_COMMUNICATIONS_REJECTED:
    case SLURM_COMMUNICATIONS_WRITE_TIMEOUT:
    case SLURM_COMMUNICATIONS_READ_TIMEOUT:
#endif
      return SlurmFailure::kUnknown;
    default:
      // Numbers below Slurm's own are errno values of a connection.
      return error < SLURM_UNEXPECTED_MSG_ERROR ? SlurmFailure::kUnknown
                                                : SlurmFailure::kRefused;
  }
}

bool MeansJobIsOver(int error) {
  switch (error) {
    case ESLURM_INVALID_JOB_ID:
    case ESLURM_ALREADY_DONE:
    case ESLURM_JOB_FINISHED:
    case ESLURM_TRANSITION_STATE_NO_UPDATE:
      return true;
    default:
      return false;
  }
}

std::vector<std::string> ExpandHostlist(const std::string& list) {
  std::vector<std::string> hosts;
  auto hostlist = slurm_hostlist_create(list.c_str());
  if (hostlist == nullptr) return hosts;
  if (slurm_hostlist_count(hostlist) <= kMaxHosts) {
    while (char* host = slurm_hostlist_shift(hostlist)) {
      hosts.emplace_back(host);
      free(host);
    }
  }
  slurm_hostlist_destroy(hostlist);
  return hosts;
}

std::string ReasonOf(const slurm_job_info_t& job) {
  if (job.state_reason == WAIT_NO_REASON) return "";
  auto* const text_of = slurm_job_state_reason_string != nullptr
                            ? slurm_job_state_reason_string
                            : slurm_job_reason_string;
  const char* text = text_of != nullptr ? text_of(job.state_reason) : nullptr;
  return text != nullptr ? text : absl::StrCat("reason ", job.state_reason);
}

NodeUse UseOf(const node_info_t& node) {
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 5, 0)
  return {.cpus = node.alloc_cpus,
          .memory_mib = static_cast<int64_t>(node.alloc_memory)};
#else
  uint16_t cpus = 0;
  uint64_t memory = 0;
  slurm_get_select_nodeinfo(node.select_nodeinfo, SELECT_NODEDATA_SUBCNT,
                            NODE_STATE_ALLOCATED, &cpus);
  slurm_get_select_nodeinfo(node.select_nodeinfo, SELECT_NODEDATA_MEM_ALLOC,
                            NODE_STATE_ALLOCATED, &memory);
  return {.cpus = cpus, .memory_mib = static_cast<int64_t>(memory)};
#endif
}

void SetNodeCount(uint32_t nodes, std::array<uint32_t, 2>* list,
                  resv_desc_msg_t* description) {
  *list = {nodes, 0};
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0)
  description->node_cnt = nodes;
#else
  description->node_cnt = list->data();
#endif
}

std::string GpuRequest(std::string_view type, int count) {
  if (count == 0) return "";
  return absl::StrCat(kGpuGres, std::string(type), type.empty() ? "" : ":",
                      count);
}

}  // namespace carme
