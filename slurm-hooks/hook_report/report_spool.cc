#include "slurm-hooks/hook_report/report_spool.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "common/printable.h"
#include "common/status.h"
#include "common/unique_fd.h"
#include "slurm-hooks/hooks/guarded_run.h"
#include "slurm-hooks/hooks/jobs_directory.h"
#include "slurm-hooks/node_config.h"

namespace carme::hooks {
namespace {

constexpr size_t kMaxSpooled = 64;
constexpr size_t kMaxSpooledTextBytes = 1000;
constexpr size_t kMaxSpooledFieldBytes = 64;
constexpr size_t kMaxSpoolFileBytes = 2048;
constexpr absl::Duration kReportLimit = absl::Seconds(5);
constexpr char kSpoolSuffix[] = ".report";
constexpr char kVetSuffix[] = ".vet";
constexpr char kSender[] = "carme-hook-report";

struct CloseDirectory {
  void operator()(DIR* directory) const { closedir(directory); }
};

// The names of complete files, which sort by time.
absl::StatusOr<std::vector<std::string>> SpoolNames(int directory,
                                                    std::string_view suffix) {
  const int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return ErrnoError(errno, "open the spool");
  const std::unique_ptr<DIR, CloseDirectory> stream(fdopendir(fd));
  if (stream == nullptr) return ErrnoError(errno, "read the spool");
  std::vector<std::string> names;
  while (const dirent* entry = readdir(stream.get())) {
    std::string name = entry->d_name;
    if (name.ends_with(suffix)) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string FormatFailure(const HookFailure& failure) {
  return absl::StrCat(PlainText(failure.service, kMaxSpooledFieldBytes), "\n",
                      PlainText(failure.node, kMaxSpooledFieldBytes), "\n",
                      failure.slurm_job, "\n",
                      Readable(failure.text, kMaxSpooledTextBytes), "\n");
}

std::optional<HookFailure> ParseFailure(const std::string& text) {
  const std::vector<std::string> lines = absl::StrSplit(text, '\n');
  HookFailure failure;
  if (lines.size() != 5 || !absl::SimpleAtoi(lines[2], &failure.slurm_job)) {
    return std::nullopt;
  }
  failure.service = lines[0];
  failure.node = lines[1];
  failure.text = lines[3];
  return failure;
}

std::string ReadSpoolFile(int directory, const std::string& name, size_t max) {
  const UniqueFd fd(
      openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  std::string text(max, '\0');
  const ssize_t length = fd.valid() ? read(fd.get(), text.data(), max) : 0;
  text.resize(length > 0 ? static_cast<size_t>(length) : 0);
  return text;
}

absl::Status WriteNewFile(int directory, const std::string& name,
                          const std::string& text) {
  const UniqueFd fd(openat(directory, name.c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd.valid()) return ErrnoError(errno, "create a report");
  if (write(fd.get(), text.data(), text.size()) ==
      static_cast<ssize_t>(text.size())) {
    return absl::OkStatus();
  }
  const absl::Status failed = ErrnoError(errno, "write a report");
  unlinkat(directory, name.c_str(), 0);
  return failed;
}

absl::StatusOr<bool> HasFailures(const std::string& directory) {
  const absl::StatusOr<UniqueFd> spool =
      OpenJobsDirectory(directory, IfMissing::kFail);
  if (absl::IsNotFound(spool.status())) return false;
  RETURN_IF_ERROR(spool.status());
  for (const char* suffix : {kSpoolSuffix, kVetSuffix}) {
    ASSIGN_OR_RETURN(const std::vector<std::string> names,
                     SpoolNames(spool->get(), suffix));
    if (!names.empty()) return true;
  }
  return false;
}

// Under its name only when it is complete.
absl::Status AddToSpool(const std::string& directory, const char* suffix,
                        const std::string& bytes) {
  ASSIGN_OR_RETURN(const UniqueFd spool,
                   OpenJobsDirectory(directory, IfMissing::kMake));
  ASSIGN_OR_RETURN(const std::vector<std::string> names,
                   SpoolNames(spool.get(), suffix));
  if (names.size() >= kMaxSpooled) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "\"", directory, "\" already has ", names.size(), " reports"));
  }
  const std::string name = absl::StrFormat(
      "%020d-%d%s", absl::ToUnixMicros(absl::Now()), getpid(), suffix);
  const std::string unfinished = absl::StrCat(name, ".new");
  RETURN_IF_ERROR(WriteNewFile(spool.get(), unfinished, bytes));
  if (renameat(spool.get(), unfinished.c_str(), spool.get(), name.c_str()) !=
      0) {
    return ErrnoError(errno, "rename a report");
  }
  return absl::OkStatus();
}

std::string HookVariable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// 0: slurmd gave none.
uint32_t OwnSlurmJob() {
  uint32_t job = 0;
  return absl::SimpleAtoi(HookVariable("SLURM_JOB_ID"), &job) ? job : 0;
}

std::string SenderPath() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0) return "";
  const std::string_view own(path, static_cast<size_t>(length));
  return absl::StrCat(std::string(own.substr(0, own.rfind('/') + 1)), kSender);
}

}  // namespace

absl::Status WriteToSpool(const std::string& directory,
                          const HookFailure& failure) {
  return AddToSpool(directory, kSpoolSuffix, FormatFailure(failure));
}

absl::Status WriteVetRunToSpool(const std::string& directory,
                                const std::string& bytes) {
  if (bytes.size() > kMaxVetRunBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("a report has ", bytes.size(), " bytes: expected at most ",
                     kMaxVetRunBytes));
  }
  return AddToSpool(directory, kVetSuffix, bytes);
}

absl::StatusOr<std::vector<SpooledVetRun>> ReadVetRuns(
    const std::string& directory) {
  std::vector<SpooledVetRun> runs;
  const absl::StatusOr<UniqueFd> spool =
      OpenJobsDirectory(directory, IfMissing::kFail);
  if (absl::IsNotFound(spool.status())) return runs;
  RETURN_IF_ERROR(spool.status());
  ASSIGN_OR_RETURN(const std::vector<std::string> names,
                   SpoolNames(spool->get(), kVetSuffix));
  for (const std::string& name : names) {
    runs.push_back({name, ReadSpoolFile(spool->get(), name, kMaxVetRunBytes)});
  }
  return runs;
}

absl::StatusOr<std::vector<SpooledFailure>> ReadSpool(
    const std::string& directory) {
  std::vector<SpooledFailure> failures;
  const absl::StatusOr<UniqueFd> spool =
      OpenJobsDirectory(directory, IfMissing::kFail);
  if (absl::IsNotFound(spool.status())) return failures;
  RETURN_IF_ERROR(spool.status());
  ASSIGN_OR_RETURN(const std::vector<std::string> names,
                   SpoolNames(spool->get(), kSpoolSuffix));
  for (const std::string& name : names) {
    std::optional<HookFailure> failure =
        ParseFailure(ReadSpoolFile(spool->get(), name, kMaxSpoolFileBytes));
    if (failure) {
      failures.push_back({name, *std::move(failure)});
    } else {
      unlinkat(spool->get(), name.c_str(), 0);
    }
  }
  return failures;
}

absl::Status RemoveFromSpool(const std::string& directory,
                             const std::string& name) {
  ASSIGN_OR_RETURN(const UniqueFd spool,
                   OpenJobsDirectory(directory, IfMissing::kFail));
  if (unlinkat(spool.get(), name.c_str(), 0) == 0) return absl::OkStatus();
  return ErrnoError(errno, "remove a report");
}

int ReportFailure(const char* hook, const std::string& config_path,
                  bool is_carme_job) {
  const std::string failure = GuardedFailure();
  if (failure.empty() && !is_carme_job) return 0;
  return RunGuarded(hook, kReportLimit, [&]() -> absl::Status {
    // Its error is the failure itself then, and is in the system log.
    const absl::StatusOr<NodeConfig> config = LoadNodeConfig(config_path);
    if (!config.ok()) return absl::OkStatus();
    const std::string& directory = config->report_directory;
    if (!failure.empty()) {
      RETURN_IF_ERROR(
          WriteToSpool(directory, {.service = hook,
                                   .node = HookVariable("SLURMD_NODENAME"),
                                   .slurm_job = OwnSlurmJob(),
                                   .text = failure}));
    }
    ASSIGN_OR_RETURN(const bool has_failures, HasFailures(directory));
    if (has_failures) StartSender(config_path);
    return absl::OkStatus();
  });
}

void StartSender(const std::string& config_path) {
  const std::string path = SenderPath();
  if (path.empty() || access(path.c_str(), X_OK) != 0) return;
  if (fork() != 0) return;
  // slurmd waits for the holders of its pipe, and signals the hook's process
  // group.
  setsid();
  const int nothing = open("/dev/null", O_RDWR);
  for (int fd = 0; fd <= STDERR_FILENO; ++fd) dup2(nothing, fd);
  syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
  if (chdir("/") != 0) _exit(1);
  const char* const arguments[] = {kSender, "--config", config_path.c_str(),
                                   nullptr};
  const char* const variables[] = {"PATH=/usr/bin:/bin", "GRPC_VERBOSITY=NONE",
                                   nullptr};
  execve(path.c_str(), const_cast<char* const*>(arguments),
         const_cast<char* const*>(variables));
  _exit(1);
}

}  // namespace carme::hooks
