#include "slurm-hooks/nodes/shared_files.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "common/name_rules.h"
#include "common/status.h"
#include "common/unique_fd.h"
#include "slurm-hooks/nodes/messages.h"
#include "slurm-hooks/nodes/ssh_key.h"

namespace carme::node {
namespace {

constexpr NameRule kNodeNameRule{.characters = kAlphanumeric | ".-_:",
                                 .max_bytes = 255,
                                 .first = kAlphanumeric | "._:"};

// Variables of one node, and Slurm's variables for devices there.
constexpr std::string_view kOfNode[] = {
    "SLURMD_NODENAME",      "SLURM_CPUS_ON_NODE",    "SLURM_GPUS_ON_NODE",
    "SLURM_JOB_GPUS",       "SLURM_TOPOLOGY_ADDR",   "SLURM_CONF",
    "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",  "ZE_AFFINITY_MASK",
    "GPU_DEVICE_ORDINAL",   "NVIDIA_VISIBLE_DEVICES"};
// Of one process of one step.
constexpr std::string_view kOfTask[] = {
    "SLURM_NODEID",   "SLURM_PROCID", "SLURM_LOCALID",
    "SLURM_TASK_PID", "SLURM_GTIDS",  "SLURM_TOPOLOGY_ADDR_PATTERN"};

bool Names(const std::string& entry, std::string_view name) {
  return entry.size() > name.size() && entry.starts_with(name) &&
         entry[name.size()] == '=';
}

template <size_t N>
bool NamesOneOf(const std::string& entry, const std::string_view (&names)[N]) {
  return std::any_of(names, names + N,
                     [&](std::string_view name) { return Names(entry, name); });
}

// OpenMPI 5 (PRTE) and 4 (ORTE): use the job's hosts and ssh. Otherwise they
// see Slurm's variables and call an srun that is not in the image.
Variables MpiVariables(const std::string& directory) {
  const std::string hosts = HostfilePath(directory);
  const std::string ssh = absl::StrCat("ssh -F ", directory, "/ssh/config");
  return {{"PRTE_MCA_plm", "ssh"},
          {"PRTE_MCA_ras", "^slurm"},
          {"PRTE_MCA_plm_ssh_agent", ssh},
          {"PRTE_MCA_prte_default_hostfile", hosts},
          {"OMPI_MCA_plm", "^slurm"},
          {"OMPI_MCA_ras", "^slurm"},
          {"OMPI_MCA_plm_rsh_agent", ssh},
          {"OMPI_MCA_orte_default_hostfile", hosts}};
}

std::string ShellQuoted(const std::string& value) {
  return absl::StrCat("'", absl::StrReplaceAll(value, {{"'", "'\\''"}}), "'");
}

}  // namespace

std::string EnvFilePath(const std::string& directory) {
  return absl::StrCat(directory, "/env");
}

std::string HostfilePath(const std::string& directory) {
  return absl::StrCat(directory, "/hostfile");
}

std::string MachinefilePath(const std::string& directory) {
  return absl::StrCat(directory, "/machinefile");
}

std::string GroupFilePath(const std::string& directory) {
  return absl::StrCat(directory, "/group");
}

std::string OwnGroupsText() {
  std::vector<gid_t> groups(
      static_cast<size_t>(std::max(getgroups(0, nullptr), 0)));
  const int got = getgroups(static_cast<int>(groups.size()), groups.data());
  groups.resize(static_cast<size_t>(std::max(got, 0)));
  groups.push_back(getgid());
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  std::string text = "root:x:0:\nnogroup:x:65534:\n";
  for (const gid_t gid : groups) {
    const group* const entry = getgrgid(gid);
    if (entry == nullptr || gid == 0) continue;
    const std::string name = entry->gr_name;
    if (name == "tty" || !kNodeNameRule.Allows(name)) continue;
    absl::StrAppend(&text, name, ":x:", gid, ":\n");
  }
  return text;
}

absl::Status CheckNodeList(const v1::NodeList& list) {
  if (list.nodes().empty() || list.master_port() > 65535) {
    return MakePlainError(node_messages::kNoNodes);
  }
  for (int i = 0; i < list.nodes_size(); ++i) {
    const v1::JobNode& node = list.nodes(i);
    const std::string& key = node.host_key();
    if (node.rank() != static_cast<uint32_t>(i) ||
        !kNodeNameRule.Allows(node.name()) ||
        !kNodeNameRule.Allows(node.address()) ||
        !kGpuListRule.Allows(node.gpu_list()) || node.ssh_port() > 65535 ||
        (!key.empty() && !IsPublicLine(key))) {
      return MakePlainError(node_messages::kNodeInvalid, {{"rank", i}});
    }
  }
  for (const std::string& key : list.user_keys()) {
    if (IsPublicLine(key)) continue;
    return MakePlainError(node_messages::kLinkedKeyInvalid);
  }
  return absl::OkStatus();
}

std::string HostfileText(const v1::NodeList& list) {
  std::string text;
  for (const v1::JobNode& node : list.nodes()) {
    absl::StrAppend(&text, node.name(), " slots=", std::max(node.cpus(), 1U),
                    "\n");
  }
  return text;
}

std::string MachinefileText(const v1::NodeList& list) {
  std::string text;
  for (const v1::JobNode& node : list.nodes()) {
    for (uint32_t i = 0; i < std::max(node.gpus(), 1U); ++i) {
      absl::StrAppend(&text, node.name(), "\n");
    }
  }
  return text;
}

Variables NodeVariables(const v1::NodeList& list, uint32_t rank,
                        const std::string& directory) {
  std::vector<std::string> names, own_names, gpus;
  for (const v1::JobNode& node : list.nodes()) {
    names.push_back(node.name());
    if (node.host_key().empty()) own_names.push_back(node.name());
    gpus.push_back(absl::StrCat(node.name(), ":", node.gpu_list()));
  }
  const v1::JobNode& own = list.nodes(static_cast<int>(rank));
  Variables variables = {
      {"CARME_ENV", EnvFilePath(directory)},
      {"CARME_HOSTFILE", HostfilePath(directory)},
      {"CARME_MACHINEFILE", MachinefilePath(directory)},
      {"CARME_NODES", absl::StrJoin(names, " ")},
      {"CARME_OWN_NODES", absl::StrJoin(own_names, " ")},
      {"CARME_GPUS", absl::StrJoin(gpus, " ")},
      {"CARME_GPUS_ON_NODE", absl::StrCat(own.gpus())},
      {"CARME_CPUS_ON_NODE", absl::StrCat(std::max(own.cpus(), 1U))},
      {"MASTER_ADDR", list.nodes(0).address()},
      {"MASTER_PORT", absl::StrCat(list.master_port())},
      {"NNODES", absl::StrCat(list.nodes_size())},
      {"NODE_RANK", absl::StrCat(rank)}};
  for (auto& variable : MpiVariables(directory)) variables.insert(variable);
  return variables;
}

std::string EnvFileText(const Variables& variables,
                        const std::string& path_prefix) {
  std::string text = "# What this job is, for sh; written by Carme.\n";
  for (const auto& [name, value] : variables) {
    if (!kVariableNameRule.Allows(name) ||
        value.find('\0') != std::string::npos)
      continue;
    absl::StrAppend(&text, "export ", name, "=", ShellQuoted(value), "\n");
  }
  if (!path_prefix.empty()) {
    absl::StrAppend(&text, "case \":$PATH:\" in\n*:", ShellQuoted(path_prefix),
                    ":*) ;;\n*) export PATH=", ShellQuoted(path_prefix),
                    "\":$PATH\" ;;\nesac\n");
  }
  return text;
}

absl::Status WriteInPlace(const std::string& path, const std::string& text) {
  const UniqueFd fd(
      open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid() || fchmod(fd.get(), 0600) != 0 ||
      write(fd.get(), text.data(), text.size()) !=
          static_cast<ssize_t>(text.size()) ||
      ftruncate(fd.get(), static_cast<off_t>(text.size())) != 0) {
    return ErrnoError(errno, absl::StrCat("write \"", path, "\""));
  }
  return absl::OkStatus();
}

std::vector<std::string> JobWideVariables(
    const std::vector<std::string>& variables) {
  std::vector<std::string> wide;
  for (const std::string& entry : variables) {
    if (entry.starts_with("SLURM_") && !NamesOneOf(entry, kOfNode) &&
        !NamesOneOf(entry, kOfTask)) {
      wide.push_back(entry);
    }
  }
  return wide;
}

std::vector<std::string> VariablesOnNode(
    const std::vector<std::string>& job_wide,
    const std::vector<std::string>& own, uint32_t rank) {
  std::vector<std::string> all = job_wide;
  for (const std::string& entry : own) {
    if (NamesOneOf(entry, kOfNode)) all.push_back(entry);
    // Steps have another name for it.
    if (Names(entry, "SLURM_STEP_GPUS")) {
      all.push_back(absl::StrCat(
          "SLURM_JOB_GPUS=",
          entry.substr(std::string_view("SLURM_STEP_GPUS=").size())));
    }
    if (!entry.starts_with("SLURM") && !NamesOneOf(entry, kOfNode)) {
      all.push_back(entry);
    }
  }
  all.push_back(absl::StrCat("SLURM_NODEID=", rank));
  return all;
}

}  // namespace carme::node
