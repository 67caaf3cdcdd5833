#include "slurm-hooks/agent/job/job_facts.h"

#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/name_rules.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"
#include "common/unique_fd.h"
#include "slurm-hooks/agent/job/messages.h"
#include "slurm-hooks/agent/job/node_listener.h"

namespace carme::agent {
namespace {

constexpr std::string_view kRequestIdVariable = "CARME_REQUEST_ID";

}  // namespace

absl::StatusOr<std::string> FindJobDirectory(const std::string& parent,
                                             SlurmJobId job, Uid uid) {
  const std::string path = absl::StrCat(parent, "/", job.value());
  const std::string what = absl::StrCat("job directory \"", path, "\"");
  UniqueFd fd(
      open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.valid() && errno == ENOENT) {
    return MakeError(agent_job_messages::kNoJobDirectory, {{"path", path}});
  }
  if (!fd.valid() && (errno == ENOTDIR || errno == ELOOP)) {
    return MakeError(agent_job_messages::kJobDirectoryIsNot, {{"path", path}});
  }
  struct stat info {};
  if (!fd.valid() || fstat(fd.get(), &info) != 0) {
    return ErrnoError(errno, what);
  }
  if (info.st_uid != uid.value() || (info.st_mode & 07777) != 0700) {
    return MakeError(agent_job_messages::kJobDirectoryOwner,
                     {{"path", path},
                      {"owner", info.st_uid},
                      {"mode", absl::StrFormat("%04o", info.st_mode & 07777)},
                      {"uid", uid.value()}});
  }
  return path;
}

std::string ReadPrologFailure(const std::string& parent, SlurmJobId job) {
  const UniqueFd fd(
      open(absl::StrCat(parent, "/", job.value(), ".failed").c_str(),
           O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!fd.valid() || fstat(fd.get(), &info) != 0 || info.st_uid != 0 ||
      !S_ISREG(info.st_mode)) {
    return "";
  }
  char text[512];
  const ssize_t size = read(fd.get(), text, sizeof text);
  return size > 0 ? std::string(text, static_cast<size_t>(size)) : "";
}

namespace {

absl::StatusOr<UserAccount> ReadAccount() {
  const passwd* entry = getpwuid(getuid());
  if (entry == nullptr) {
    return MakeError(agent_job_messages::kNoUserName, {{"uid", getuid()}});
  }
  return UserAccount{entry->pw_name, entry->pw_dir, entry->pw_shell};
}

// Carme's other programs are in the same directory.
absl::StatusOr<std::string> OwnDirectory() {
  char path[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  if (size < 0) return ErrnoError(errno, "read \"/proc/self/exe\"");
  const std::string whole(path, static_cast<size_t>(size));
  return whole.substr(0, whole.rfind('/'));
}

// Slurm lists the allocated GPUs of any kind; in a step by another variable.
bool HasGpus() {
  for (const char* name : {"SLURM_JOB_GPUS", "SLURM_STEP_GPUS"}) {
    const char* gpus = std::getenv(name);
    if (gpus != nullptr && *gpus != '\0') return true;
  }
  return false;
}

absl::StatusOr<EnvironmentFacts> ReadEnvironmentFacts(const NodeConfig& config,
                                                      SlurmJobId job,
                                                      const std::string& home) {
  EnvironmentFacts facts;
  const Uid uid(getuid());
  ASSIGN_OR_RETURN(facts.programs, OwnDirectory());
  ASSIGN_OR_RETURN(facts.directory,
                   FindJobDirectory(config.runtime_directory, job, uid));
  if (!config.scratch_directory.empty()) {
    ASSIGN_OR_RETURN(facts.scratch,
                     FindJobDirectory(config.scratch_directory, job, uid));
  }
  // A job with too few nodes has no storage.
  if (!config.job_storage.directory.empty()) {
    const auto storage = FindJobDirectory(
        JobStorageDirectory(config.job_storage, job), job, uid);
    if (storage.ok()) facts.storage = *storage;
  }
  facts.apptainer = config.apptainer;
  facts.srun = config.srun;
  const char* const node = std::getenv("SLURMD_NODENAME");
  facts.node = node == nullptr ? "" : node;
  facts.home = home;
  facts.nvidia = HasGpus() && access("/dev/nvidiactl", F_OK) == 0;
  facts.devices = OpenableDevices(config.gpu_devices);
  return facts;
}

}  // namespace

std::string ReadRequestId() {
  const char* const id = std::getenv(kRequestIdVariable.data());
  return id != nullptr && kRequestIdRule.Allows(id) ? id : "";
}

absl::StatusOr<JobFacts> ReadJobFacts(const NodeConfig& config,
                                      SlurmJobId job) {
  JobFacts facts;
  facts.umask = umask(077);
  ASSIGN_OR_RETURN(facts.account, ReadAccount());
  ASSIGN_OR_RETURN(facts.environment,
                   ReadEnvironmentFacts(config, job, facts.account.home));
  ASSIGN_OR_RETURN(const net::Address node,
                   LocalAddressTowards(config.backend));
  facts.address = node.Ip();
  facts.use = config.use;
  facts.gpu = config.gpu;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    // The id of another request would mislead in a job that an app submits.
    if (std::string_view(*entry).starts_with(kRequestIdVariable) &&
        (*entry)[kRequestIdVariable.size()] == '=') {
      continue;
    }
    facts.variables.emplace_back(*entry);
  }
  return facts;
}

std::vector<std::string> OpenableDevices(
    const std::vector<std::string>& patterns) {
  std::vector<std::string> devices;
  for (const std::string& pattern : patterns) {
    glob_t found{};
    if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
      for (size_t i = 0; i < found.gl_pathc; ++i) {
        const UniqueFd fd(open(found.gl_pathv[i],
                               O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
        struct stat info {};
        if (fd.valid() && fstat(fd.get(), &info) == 0 &&
            S_ISCHR(info.st_mode)) {
          devices.emplace_back(found.gl_pathv[i]);
        }
      }
    }
    globfree(&found);
  }
  return devices;
}

}  // namespace carme::agent
