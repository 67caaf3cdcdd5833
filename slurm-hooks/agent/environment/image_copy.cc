#include "slurm-hooks/agent/environment/image_copy.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/crypto/file_digest.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"
#include "common/unique_fd.h"
#include "slurm-hooks/agent/environment/messages.h"

namespace carme::agent {
namespace {

constexpr mode_t kImageMode = 0444;
constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;
constexpr absl::Duration kKeptUnnamed = absl::Hours(24);
constexpr std::string_view kEnding = ".sif";
constexpr std::string_view kPartEnding = ".part";

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string What(const std::string& path) {
  return absl::StrCat("image \"", path, "\"");
}

absl::Status WritableByOthers(const std::string& path,
                              const struct stat& info) {
  return MakeError(agent_environment_messages::kImageWritableByOthers,
                   {{"path", path},
                    {"mode", absl::StrFormat("%04o", info.st_mode & 07777)}});
}

absl::Status CheckOwnedAlone(const std::string& path, uid_t uid, bool is_file) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return ErrnoError(errno, What(path));
  if (is_file ? !S_ISREG(info.st_mode) : !S_ISDIR(info.st_mode)) {
    return MakeError(is_file ? agent_environment_messages::kCopyNotAFile
                             : agent_environment_messages::kCopyNotADirectory,
                     {{"path", path}});
  }
  if (info.st_uid != uid) {
    return MakeError(agent_environment_messages::kSharedImageOwner,
                     {{"path", path}, {"owner", info.st_uid}, {"uid", uid}});
  }
  if ((info.st_mode & kOthersWrite) != 0) return WritableByOthers(path, info);
  return absl::OkStatus();
}

// Checks that only root and `uid` can replace `path`: each directory above it
// belongs to them, and is writable by others only with the sticky bit.
absl::Status CheckAbove(const std::string& path, uid_t uid) {
  for (std::string above = DirectoryOf(path); above != "/";
       above = DirectoryOf(above)) {
    struct stat info {};
    if (lstat(above.c_str(), &info) != 0) return ErrnoError(errno, above);
    const bool is_closed = S_ISLNK(info.st_mode) ||
                           (info.st_mode & kOthersWrite) == 0 ||
                           (info.st_mode & S_ISVTX) != 0;
    if ((info.st_uid == 0 || info.st_uid == uid) && is_closed) continue;
    return MakeError(agent_environment_messages::kSharedFolderOwner,
                     {{"path", above},
                      {"owner", info.st_uid},
                      {"mode", absl::StrFormat("%04o", info.st_mode & 07777)},
                      {"uid", uid}});
  }
  return absl::OkStatus();
}

// Opens a regular file of `size` bytes; follows no link and waits for no FIFO.
absl::StatusOr<UniqueFd> OpenToCopy(const ImageBuildPlan& plan,
                                    struct stat* info) {
  UniqueFd fd(
      open(plan.path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd.valid() || fstat(fd.get(), info) != 0) {
    return ErrnoError(errno, What(plan.path));
  }
  if (!S_ISREG(info->st_mode)) {
    return MakeError(agent_environment_messages::kImageNotAFile,
                     {{"subject", What(plan.path)}});
  }
  if (info->st_size != plan.size) {
    return MakeError(agent_environment_messages::kImageSizeChanged,
                     {{"subject", What(plan.path)},
                      {"found", info->st_size},
                      {"expected", plan.size}});
  }
  return fd;
}

// Copies to a new file that appears complete or not at all.
absl::Status CopyTo(const std::string& target, int from,
                    const ImageBuildPlan& plan) {
  const UniqueFd to(open(target.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                         0600));
  const std::string what = absl::StrCat("copy the image to \"", target, "\"");
  if (!to.valid()) return ErrnoError(errno, what);
  const absl::StatusOr<std::string> found =
      CopyWithSha256(from, to.get(), plan.size, what);
  absl::Status copied = found.status();
  if (copied.ok() && *found != plan.sha256) {
    copied = MakeError(agent_environment_messages::kImageDigestChanged,
                       {{"subject", What(plan.path)},
                        {"found", *found},
                        {"expected", plan.sha256}});
  }
  // Network file systems report errors of the last bytes only here.
  if (copied.ok() &&
      (fchmod(to.get(), kImageMode) != 0 || fsync(to.get()) != 0)) {
    copied = ErrnoError(errno, what);
  }
  if (!copied.ok()) unlink(target.c_str());
  return copied;
}

// A file with the same content exists already, perhaps of another user. It is
// touched first: then a store job of another image with an older list of files
// to keep does not remove it.
absl::Status CheckPresent(const ImageBuildPlan& plan) {
  RETURN_IF_ERROR(CheckOwnedAlone(plan.output, geteuid(), /*is_file=*/true));
  const UniqueFd fd(
      open(plan.output.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.valid() || futimens(fd.get(), nullptr) != 0) {
    return ErrnoError(errno, What(plan.output));
  }
  ASSIGN_OR_RETURN(const std::string found, Sha256OfFile(fd.get()));
  struct stat info {};
  if (fstat(fd.get(), &info) != 0) return ErrnoError(errno, What(plan.output));
  if (info.st_nlink == 0) {
    return MakeError(agent_environment_messages::kCopyRemoved,
                     {{"subject", What(plan.output)}});
  }
  if (found == plan.sha256) return absl::OkStatus();
  return MakeError(agent_environment_messages::kCopyDamaged,
                   {{"subject", What(plan.output)}, {"found", found}});
}

// Removes files of the directory of `own` that are neither that file nor in
// `keep`, a day after their last change: unused images and partial copies.
void RemoveOthers(const std::string& own, const std::vector<std::string>& keep,
                  absl::Time now) {
  const std::string where = DirectoryOf(own);
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(where.c_str()),
                                                      closedir);
  if (directory == nullptr) return;
  while (const dirent* entry = readdir(directory.get())) {
    const std::string_view name(entry->d_name);
    const std::string path = absl::StrCat(where, "/", entry->d_name);
    if ((!name.ends_with(kEnding) && !name.ends_with(kPartEnding)) ||
        path == own ||
        std::find(keep.begin(), keep.end(), name) != keep.end()) {
      continue;
    }
    struct stat info {};
    if (lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode) ||
        absl::FromUnixSeconds(info.st_mtim.tv_sec) + kKeptUnnamed > now) {
      continue;
    }
    if (unlink(path.c_str()) == 0) {
      LogInfo("old image file removed", {{"path", path}});
    }
  }
}

ImageFileInfo CopyOf(const ImageBuildPlan& plan) {
  return {.path = plan.output, .sha256 = plan.sha256, .size_bytes = plan.size};
}

}  // namespace

absl::StatusOr<ImageFileInfo> CheckSiteImage(const std::string& path) {
  const std::string what = What(path);
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!fd.valid() || fstat(fd.get(), &info) != 0) {
    return ErrnoError(errno, what);
  }
  const std::unique_ptr<char, decltype(&free)> real(
      realpath(path.c_str(), nullptr), free);
  if (real == nullptr) return ErrnoError(errno, what);
  if (!S_ISREG(info.st_mode) || !IsSif(fd.get())) {
    return MakeError(agent_environment_messages::kNotSif, {{"subject", what}});
  }
  // The administrator who requested the check could also record another digest.
  if (info.st_uid != 0 && info.st_uid != geteuid()) {
    return MakeError(
        agent_environment_messages::kImageOwner,
        {{"path", path}, {"owner", info.st_uid}, {"uid", geteuid()}});
  }
  if ((info.st_mode & kOthersWrite) != 0) return WritableByOthers(path, info);
  RETURN_IF_ERROR(CheckAbove(path, geteuid()));
  RETURN_IF_ERROR(CheckAbove(real.get(), geteuid()));
  ASSIGN_OR_RETURN(std::string sha256, Sha256OfFile(fd.get()));
  return ImageFileInfo{
      .path = path, .sha256 = std::move(sha256), .size_bytes = info.st_size};
}

absl::StatusOr<ImageFileInfo> StageImage(const ImageBuildPlan& plan) {
  struct stat info {};
  ASSIGN_OR_RETURN(const UniqueFd from, OpenToCopy(plan, &info));
  if (info.st_uid != geteuid()) {
    return MakeError(agent_environment_messages::kImageNotYours,
                     {{"subject", What(plan.path)},
                      {"owner", info.st_uid},
                      {"uid", geteuid()}});
  }
  RETURN_IF_ERROR(CopyTo(plan.output, from.get(), plan));
  return CopyOf(plan);
}

absl::StatusOr<ImageFileInfo> StoreImage(const ImageBuildPlan& plan,
                                         absl::Time now) {
  RETURN_IF_ERROR(CheckOwnedAlone(DirectoryOf(plan.output), geteuid(),
                                  /*is_file=*/false));
  struct stat info {};
  if (lstat(plan.output.c_str(), &info) == 0) {
    RETURN_IF_ERROR(CheckPresent(plan));
  } else {
    ASSIGN_OR_RETURN(const UniqueFd from, OpenToCopy(plan, &info));
    const std::string part =
        absl::StrCat(plan.output, ".", getpid(), kPartEnding.data());
    unlink(part.c_str());
    RETURN_IF_ERROR(CopyTo(part, from.get(), plan));
    if (rename(part.c_str(), plan.output.c_str()) != 0) {
      const absl::Status failed =
          ErrnoError(errno, absl::StrCat("make \"", plan.output, "\""));
      unlink(part.c_str());
      return failed;
    }
  }
  // The account owns the directory, so it may remove a file of another user.
  if (unlink(plan.path.c_str()) != 0 && errno != ENOENT) {
    LogWarning("staged copy not removed",
               {{"error", ErrnoError(errno, plan.path).ToString()}});
  }
  RemoveOthers(plan.output, plan.keep, now);
  // Its owner cannot list the files that a failed copy left there.
  RemoveOthers(plan.path, plan.keep, now);
  return CopyOf(plan);
}

absl::Status CheckStored(const std::string& path, uid_t uid) {
  const std::unique_ptr<char, decltype(&free)> real(
      realpath(DirectoryOf(path).c_str(), nullptr), free);
  if (real == nullptr) return ErrnoError(errno, What(path));
  // Checks both paths: a link in the path could be changed, too.
  RETURN_IF_ERROR(CheckAbove(path, uid));
  RETURN_IF_ERROR(CheckAbove(absl::StrCat(real.get(), "/."), uid));
  RETURN_IF_ERROR(CheckOwnedAlone(real.get(), uid, /*is_file=*/false));
  return CheckOwnedAlone(path, uid, /*is_file=*/true);
}

}  // namespace carme::agent
