#include "slurm-hooks/hooks/job_storage.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "common/name_rules.h"
#include "common/status.h"
#include "common/unique_fd.h"
#include "slurm-hooks/hooks/jobs_directory.h"
#include "slurm-hooks/hooks/messages.h"
#include "slurm-hooks/hooks/program_run.h"

namespace carme::hooks {
namespace {

constexpr size_t kMaxNodes = 100'000;
constexpr size_t kMaxDigits = 9;

using Names = std::vector<std::string>;

// Parses "7" or "07-12"; leading zeros are kept.
bool AddRange(absl::string_view range, Names* numbers) {
  const std::vector<absl::string_view> ends = absl::StrSplit(range, '-');
  uint32_t first = 0;
  uint32_t last = 0;
  if (ends.size() > 2 || ends[0].empty() || ends[0].size() > kMaxDigits ||
      ends.back().size() > kMaxDigits || !absl::SimpleAtoi(ends[0], &first) ||
      !absl::SimpleAtoi(ends.back(), &last) || last < first ||
      last - first >= kMaxNodes) {
    return false;
  }
  for (uint32_t number = first; number <= last; ++number) {
    numbers->push_back(
        absl::StrFormat("%0*d", static_cast<int>(ends[0].size()), number));
  }
  return numbers->size() <= kMaxNodes;
}

// Appends each number of the ranges to each of `names`.
bool Multiply(absl::string_view ranges, Names* names) {
  Names numbers;
  for (const absl::string_view range : absl::StrSplit(ranges, ',')) {
    if (!AddRange(range, &numbers)) return false;
  }
  if (names->size() * numbers.size() > kMaxNodes) return false;
  Names longer;
  for (const std::string& name : *names) {
    for (const std::string& number : numbers) longer.push_back(name + number);
  }
  *names = std::move(longer);
  return true;
}

bool IsNameCharacter(char c) { return kSlurmNameRule.characters.Contains(c); }

}  // namespace

std::optional<Names> ExpandNodeList(std::string_view list) {
  Names all;
  Names current = {""};
  bool begun = false;
  for (size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    if (c == ',') {
      if (!begun || all.size() + current.size() > kMaxNodes) {
        return std::nullopt;
      }
      all.insert(all.end(), current.begin(), current.end());
      current = {""};
      begun = false;
      continue;
    }
    begun = true;
    if (c == '[') {
      const size_t end = list.find(']', i);
      if (end == std::string_view::npos) return std::nullopt;
      const std::string_view ranges = list.substr(i + 1, end - i - 1);
      if (!Multiply({ranges.data(), ranges.size()}, &current)) {
        return std::nullopt;
      }
      i = end;
    } else if (IsNameCharacter(c)) {
      for (std::string& name : current) name += c;
    } else {
      return std::nullopt;
    }
  }
  return all;
}

namespace {

std::string Variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

absl::StatusOr<bool> IsWantedHere(const JobStorage& storage, HookNodes* nodes) {
  if (storage.start.empty()) return false;
  ASSIGN_OR_RETURN(*nodes, ReadHookNodes());
  return nodes->IsFirst() &&
         nodes->all.size() >= static_cast<size_t>(storage.min_nodes);
}

// In memory, so that no file remains and no other user can access it.
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

std::string RecordName(const HookJob& job) {
  return absl::StrCat(job.id.value(), ".storage");
}

absl::Status WriteRecord(const JobStorage& storage, const HookJob& job,
                         const HookNodes& nodes) {
  ASSIGN_OR_RETURN(
      const UniqueFd jobs,
      OpenJobsDirectory(storage.record_directory, IfMissing::kMake));
  const std::string name = RecordName(job);
  const std::string text = absl::StrJoin(nodes.all, "\n");
  const UniqueFd fd(
      openat(jobs.get(), name.c_str(),
             O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid() || write(fd.get(), text.data(), text.size()) !=
                         static_cast<ssize_t>(text.size())) {
    return ErrnoError(errno, absl::StrCat("write \"", name, "\""));
  }
  return absl::OkStatus();
}

// The nodes of the record; empty: there is none.
absl::StatusOr<Names> ReadRecord(const JobStorage& storage,
                                 const HookJob& job) {
  const auto jobs =
      OpenJobsDirectory(storage.record_directory, IfMissing::kFail);
  if (absl::IsNotFound(jobs.status())) return Names();
  RETURN_IF_ERROR(jobs.status());
  const std::string name = RecordName(job);
  const UniqueFd fd(
      openat(jobs->get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.valid() && errno == ENOENT) return Names();
  if (!fd.valid())
    return ErrnoError(errno, absl::StrCat("read \"", name, "\""));
  std::string text;
  char buffer[4096];
  ssize_t got = 0;
  while ((got = read(fd.get(), buffer, sizeof buffer)) > 0) {
    text.append(buffer, static_cast<size_t>(got));
  }
  if (got < 0) return ErrnoError(errno, absl::StrCat("read \"", name, "\""));
  return Names(absl::StrSplit(text, '\n', absl::SkipEmpty()));
}

absl::Status RemoveRecord(const JobStorage& storage, const HookJob& job) {
  ASSIGN_OR_RETURN(
      const UniqueFd jobs,
      OpenJobsDirectory(storage.record_directory, IfMissing::kFail));
  const std::string name = RecordName(job);
  if (unlinkat(jobs.get(), name.c_str(), 0) == 0) return absl::OkStatus();
  return ErrnoError(errno, absl::StrCat("remove \"", name, "\""));
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
    return MakePlainError(hook_messages::kNoNodeList, {{"value", list}});
  }
  return HookNodes{*std::move(all), Variable("SLURMD_NODENAME")};
}

absl::Status StartJobStorage(const JobStorage& storage, const HookJob& job) {
  HookNodes nodes;
  ASSIGN_OR_RETURN(const bool wanted, IsWantedHere(storage, &nodes));
  if (!wanted) return absl::OkStatus();
  RETURN_IF_ERROR(WriteRecord(storage, job, nodes));
  absl::Status status = RunFor(storage.start, storage, job, nodes);
  if (status.ok()) status = MakeDirectory(storage, job);
  if (status.ok()) return status;
  RunFor(storage.stop, storage, job, nodes).IgnoreError();
  return Annotate(status, "the job's parallel file system does not start");
}

absl::Status StopJobStorage(const JobStorage& storage, const HookJob& job) {
  if (storage.start.empty()) return absl::OkStatus();
  HookNodes nodes;
  ASSIGN_OR_RETURN(nodes.all, ReadRecord(storage, job));
  if (nodes.all.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(Annotate(RunFor(storage.stop, storage, job, nodes),
                           "the job's parallel file system does not stop"));
  // Afterwards: an Epilog that was killed runs again.
  return RemoveRecord(storage, job);
}

}  // namespace carme::hooks
