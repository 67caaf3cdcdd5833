#include "slurm-hooks/hooks/jobs_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "common/status.h"
#include "slurm-hooks/hooks/messages.h"
#include "slurm-hooks/hooks/runtime_mount.h"
#include "slurm-hooks/hooks/scratch_image.h"
#include "slurm-hooks/hooks/tree_removal.h"

namespace carme::hooks {
namespace {

constexpr int kStep = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

std::string NameOf(const HookJob& job) { return absl::StrCat(job.id.value()); }

std::string ReasonName(const HookJob& job) {
  return absl::StrCat(job.id.value(), ".failed");
}

// Set the mode before the owner: afterwards the user could change it.
absl::Status GiveAway(int jobs, const std::string& name, Uid user) {
  const UniqueFd fd(openat(jobs, name.c_str(),
                           O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.valid() || fchmod(fd.get(), 0700) != 0 ||
      fchown(fd.get(), user.value(), static_cast<gid_t>(-1)) != 0) {
    return ErrnoError(errno, "give it to its user");
  }
  return absl::OkStatus();
}

absl::Status CheckRootsAlone(int fd, const std::string& path) {
  struct stat info {};
  if (fstat(fd, &info) != 0) {
    return ErrnoError(errno, absl::StrCat("stat \"", path, "\""));
  }
  if (info.st_uid != 0 || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return MakePlainError(
        hook_messages::kDirectoryOwner,
        {{"path", path},
         {"owner", info.st_uid},
         {"mode", absl::StrFormat("%04o", info.st_mode & 07777)}});
  }
  return absl::OkStatus();
}

absl::StatusOr<UniqueFd> OpenStep(int parent, const std::string& name,
                                  const std::string& path,
                                  IfMissing if_missing) {
  UniqueFd fd(openat(parent, name.c_str(), kStep));
  if (!fd.valid() && errno == ENOENT && if_missing == IfMissing::kMake) {
    // The Prolog of another job may have created it; the check below applies to
    // it as well. The mode is set again because of slurmd's umask.
    const bool made = mkdirat(parent, name.c_str(), 0755) == 0;
    if (made ? fchmodat(parent, name.c_str(), 0755, 0) != 0 : errno != EEXIST) {
      return ErrnoError(errno, absl::StrCat("make \"", path, "\""));
    }
    fd.reset(openat(parent, name.c_str(), kStep));
  }
  if (!fd.valid() && (errno == ENOTDIR || errno == ELOOP)) {
    return MakePlainError(hook_messages::kNotADirectory, {{"path", path}});
  }
  if (!fd.valid())
    return ErrnoError(errno, absl::StrCat("open \"", path, "\""));
  RETURN_IF_ERROR(CheckRootsAlone(fd.get(), path));
  return fd;
}

}  // namespace

absl::StatusOr<UniqueFd> OpenJobsDirectory(const std::string& path,
                                           IfMissing if_missing) {
  const std::vector<std::string> names =
      absl::StrSplit(path, '/', absl::SkipEmpty());
  if (path.empty() || path[0] != '/' || names.empty()) {
    return MakePlainError(hook_messages::kNotAbsolute, {{"path", path}});
  }
  UniqueFd fd(open("/", kStep));
  if (!fd.valid()) return ErrnoError(errno, "open \"/\"");
  std::string walked;
  for (const std::string& name : names) {
    absl::StrAppend(&walked, "/", name);
    if (name == "." || name == "..") {
      return MakePlainError(hook_messages::kForbiddenStep,
                            {{"path", walked}, {"name", name}});
    }
    ASSIGN_OR_RETURN(fd, OpenStep(fd.get(), name, walked, if_missing));
  }
  return fd;
}

absl::Status MakeJobDirectory(int jobs, const HookJob& job, int limit_gib,
                              absl::Time deadline) {
  RETURN_IF_ERROR(RemoveJobDirectory(jobs, job, deadline));
  const std::string name = NameOf(job);
  const std::string what = absl::StrCat("job directory \"", name, "\"");
  if (mkdirat(jobs, name.c_str(), 0700) != 0) return ErrnoError(errno, what);
  absl::Status made = limit_gib == 0
                          ? absl::OkStatus()
                          : MountScratchImage(jobs, name, limit_gib, deadline);
  if (made.ok()) made = GiveAway(jobs, name, job.uid);
  if (made.ok()) return made;
  RemoveScratchImage(jobs, name).IgnoreError();
  unlinkat(jobs, name.c_str(), AT_REMOVEDIR);
  return Annotate(made, what);
}

absl::Status MakeRuntimeDirectory(int jobs, const HookJob& job,
                                  absl::Time deadline) {
  RETURN_IF_ERROR(RemoveJobDirectory(jobs, job, deadline));
  const std::string name = NameOf(job);
  const std::string what = absl::StrCat("job directory \"", name, "\"");
  if (mkdirat(jobs, name.c_str(), 0700) != 0) return ErrnoError(errno, what);
  const absl::Status made = MountRuntime(jobs, name, job.uid);
  if (!made.ok()) unlinkat(jobs, name.c_str(), AT_REMOVEDIR);
  return Annotate(made, what);
}

absl::Status RemoveJobDirectory(int jobs, const HookJob& job,
                                absl::Time deadline) {
  const std::string name = NameOf(job);
  if (unlinkat(jobs, ReasonName(job).c_str(), 0) != 0 && errno != ENOENT) {
    return ErrnoError(errno, absl::StrCat("remove \"", ReasonName(job), "\""));
  }
  absl::Status removed = RemoveScratchImage(jobs, name);
  if (removed.ok()) removed = UnmountRuntime(jobs, name);
  if (removed.ok()) removed = RemoveTree(jobs, name, job.uid, deadline);
  return Annotate(removed, absl::StrCat("remove job directory \"", name, "\""));
}

absl::Status WriteFailureReason(int jobs, const HookJob& job,
                                std::string_view reason) {
  const std::string name = ReasonName(job);
  const UniqueFd fd(openat(jobs, name.c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                           0600));
  if (!fd.valid() ||
      write(fd.get(), reason.data(), reason.size()) !=
          static_cast<ssize_t>(reason.size()) ||
      // It belongs to root, so that only the Prolog can write it.
      fchmod(fd.get(), 0644) != 0) {
    return ErrnoError(errno, absl::StrCat("write \"", name, "\""));
  }
  return absl::OkStatus();
}

}  // namespace carme::hooks
