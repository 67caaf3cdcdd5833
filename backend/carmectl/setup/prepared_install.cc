#include "backend/carmectl/setup/prepared_install.h"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backend/carmectl/doctor/host/file_rules.h"
#include "backend/carmectl/setup/site/messages.h"
#include "common/config/config.h"
#include "common/encoding.h"
#include "common/file.h"
#include "common/random.h"
#include "common/status.h"

namespace carme::carmectl {
namespace {

constexpr mode_t kTemporaryMode = 0600;
constexpr mode_t kDirectoryMode = 0755;

absl::Status SetOwner(const SetupFile& file, const std::string& path) {
  const passwd* const user = getpwnam(file.owner.c_str());
  const uid_t uid = user == nullptr ? 0 : user->pw_uid;
  const group* const members =
      user == nullptr ? nullptr : getgrnam(file.group.c_str());
  if (members == nullptr) {
    return MakePlainError(
        setup_messages::kAccountMissing,
        {{"account", file.owner},
         {"package", file.owner == "carme" ? "carme-backend" : file.owner}});
  }
  if (chown(path.c_str(), uid, members->gr_gid) == 0) return absl::OkStatus();
  return ErrnoError(errno, absl::StrCat("chown \"", path, "\""));
}

bool IsUnconfigured(const std::string& path, const std::string& content) {
  return absl::EndsWith(path, ".toml") &&
         IsNotConfigured(ConfigFile::Parse(content, path).status());
}

}  // namespace

absl::StatusOr<PreparedInstall> PreparedInstall::Prepare(
    const std::vector<SetupFile>& files, SetupHost host,
    const InstallOptions& options) {
  PreparedInstall install;
  for (const SetupFile& file : files) {
    if (file.host == host) {
      RETURN_IF_ERROR(install.PrepareFile(file, options));
    }
  }
  return install;
}

PreparedInstall::PreparedInstall(PreparedInstall&& other) noexcept
    : steps_(std::exchange(other.steps_, {})),
      copies_(std::exchange(other.copies_, {})),
      directories_(std::exchange(other.directories_, {})) {}

PreparedInstall::~PreparedInstall() {
  if (steps_.empty()) return;
  for (const Step& step : steps_) unlink(step.temporary.c_str());
  for (const std::string& copy : copies_) unlink(copy.c_str());
  for (size_t i = directories_.size(); i > 0; --i) {
    rmdir(directories_[i - 1].c_str());
  }
}

absl::Status PreparedInstall::PrepareDirectory(const std::string& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) {
    if (errno != ENOENT) return ErrnoError(errno, absl::StrCat("stat ", path));
    RETURN_IF_ERROR(
        PrepareDirectory(std::filesystem::path(path).parent_path()));
    if (mkdir(path.c_str(), kDirectoryMode) != 0) {
      return ErrnoError(errno, absl::StrCat("create \"", path, "\""));
    }
    directories_.push_back(path);
    return absl::OkStatus();
  }
  if (!S_ISDIR(info.st_mode)) {
    return MakePlainError(setup_messages::kDirectoryNotDirectory,
                          {{"path", path}});
  }
  const std::string problem = WriteAccessProblem(path, geteuid());
  return problem.empty() ? absl::OkStatus()
                         : MakePlainError(setup_messages::kDirectoryUnsafe,
                                          {{"problem", problem}});
}

// link(), not a copy: owner, mode and content stay as they are.
absl::Status PreparedInstall::PrepareCopy(const SetupFile& file,
                                          const std::string& target,
                                          const InstallOptions& options) {
  struct stat info {};
  if (lstat(target.c_str(), &info) != 0) {
    return errno == ENOENT ? absl::OkStatus()
                           : ErrnoError(errno, absl::StrCat("stat ", target));
  }
  if (!S_ISREG(info.st_mode)) {
    return MakePlainError(setup_messages::kTargetNotFile, {{"path", target}});
  }
  ASSIGN_OR_RETURN(const std::string present, ReadFile(target));
  if (present == file.content || IsUnconfigured(target, present)) {
    return absl::OkStatus();
  }
  if (!options.replace) {
    return MakePlainError(setup_messages::kTargetConfigured,
                          {{"path", target}});
  }
  const std::string copy = absl::StrCat(
      target, ".old-",
      absl::FormatTime("%Y%m%dT%H%M%SZ", options.now, absl::UTCTimeZone()));
  if (link(target.c_str(), copy.c_str()) != 0) {
    return ErrnoError(errno, absl::StrCat("copy to \"", copy, "\""));
  }
  copies_.push_back(copy);
  return absl::OkStatus();
}

absl::Status PreparedInstall::PrepareFile(const SetupFile& file,
                                          const InstallOptions& options) {
  const std::string target = options.root + file.path;
  RETURN_IF_ERROR(
      PrepareDirectory(std::filesystem::path(target).parent_path()));
  const std::string temporary =
      absl::StrCat(target, ".setup-", HexEncode(RandomBytes(6)));
  RETURN_IF_ERROR(WriteNewFile(temporary, file.content, kTemporaryMode));
  steps_.push_back({temporary, target});
  RETURN_IF_ERROR(PrepareCopy(file, target, options));
  if (options.set_owners) RETURN_IF_ERROR(SetOwner(file, temporary));
  if (chmod(temporary.c_str(), file.mode) != 0) {
    return ErrnoError(errno, absl::StrCat("chmod \"", temporary, "\""));
  }
  return absl::OkStatus();
}

absl::Status PreparedInstall::Commit() {
  for (const Step& step : std::exchange(steps_, {})) {
    if (rename(step.temporary.c_str(), step.target.c_str()) != 0) {
      return ErrnoError(errno, absl::StrCat("replace \"", step.target, "\""));
    }
  }
  sync();  // of all directories
  return absl::OkStatus();
}

}  // namespace carme::carmectl
