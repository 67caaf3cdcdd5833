#include "slurm-hooks/job_storage.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "common/status.h"
#include "common/unique_fd.h"
#include "slurm-hooks/jobs_directory.h"
#include "slurm-hooks/program_run.h"

namespace carme::hooks {
namespace {

std::string Variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

absl::StatusOr<bool> IsWantedHere(const JobStorage& storage, HookNodes* nodes) {
  if (storage.start.empty()) return false;
  ASSIGN_OR_RETURN(*nodes, ReadHookNodes());
  return nodes->IsFirst() &&
         nodes->all.size() >= static_cast<size_t>(storage.least_nodes);
}

// In memory: nothing of it is left, and nobody else has it.
absl::StatusOr<UniqueFd> NodeFile(const HookNodes& nodes) {
  UniqueFd fd(memfd_create("nodes", MFD_CLOEXEC));
  const std::string text = absl::StrCat(absl::StrJoin(nodes.all, "\n"), "\n");
  if (!fd.valid() || write(fd.get(), text.data(), text.size()) !=
                         static_cast<ssize_t>(text.size())) {
    return ErrnoError(errno, "write the file of nodes");
  }
  return fd;
}

absl::Status RunFor(const std::vector<std::string>& command,
                    const JobStorage& storage, const HookJob& job,
                    const HookNodes& nodes) {
  if (command.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const UniqueFd file, NodeFile(nodes));
  std::vector<std::string> words;
  for (const std::string& word : command) {
    words.push_back(absl::StrReplaceAll(
        word,
        {{"{nodefile}", absl::StrCat("/proc/", getpid(), "/fd/", file.get())},
         {"{directory}", JobStorageDirectory(storage, job.id)},
         {"{job}", absl::StrCat(job.id.value())},
         {"{uid}", absl::StrCat(job.uid.value())}}));
  }
  return RunProgram(words, {"PATH=/usr/sbin:/usr/bin:/sbin:/bin"},
                    absl::Now() + storage.time_limit);
}

absl::Status MakeDirectory(const JobStorage& storage, const HookJob& job) {
  ASSIGN_OR_RETURN(const UniqueFd top,
                   OpenJobsDirectory(JobStorageDirectory(storage, job.id),
                                     IfMissing::kFail));
  return MakeJobDirectory(top.get(), job, 0, absl::Now() + storage.time_limit);
}

}  // namespace

absl::StatusOr<HookNodes> ReadHookNodes() {
  const std::string list = Variable("SLURM_NODELIST");
  auto all = ExpandNodeList(list);
  if (!all.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("SLURM_NODELIST is \"", list,
                     "\": expected a list of nodes from slurmd"));
  }
  return HookNodes{*std::move(all), Variable("SLURMD_NODENAME")};
}

absl::Status StartJobStorage(const JobStorage& storage, const HookJob& job) {
  HookNodes nodes;
  ASSIGN_OR_RETURN(const bool wanted, IsWantedHere(storage, &nodes));
  if (!wanted) return absl::OkStatus();
  absl::Status status = RunFor(storage.start, storage, job, nodes);
  if (status.ok()) status = MakeDirectory(storage, job);
  if (status.ok()) return status;
  RunFor(storage.stop, storage, job, nodes).IgnoreError();
  return Annotate(status, "the job's parallel file system does not start");
}

absl::Status StopJobStorage(const JobStorage& storage, const HookJob& job) {
  HookNodes nodes;
  ASSIGN_OR_RETURN(const bool wanted, IsWantedHere(storage, &nodes));
  if (!wanted) return absl::OkStatus();
  return Annotate(RunFor(storage.stop, storage, job, nodes),
                  "the job's parallel file system does not stop");
}

}  // namespace carme::hooks
