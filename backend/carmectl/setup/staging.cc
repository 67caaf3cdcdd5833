#include "backend/carmectl/setup/staging.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/carmectl/doctor/host/file_rules.h"
#include "backend/carmectl/setup/site/messages.h"
#include "backend/carmectl/setup/site/tar_archive.h"
#include "common/file.h"
#include "common/status.h"
#include "common/unique_fd.h"

namespace carme::carmectl {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kPrivateFile = 0600;
constexpr std::string_view kStagingNames[] = {
    "answers.toml", "dmz", "dmz.tar", "head",       "head.tar",   "node",
    "node.tar",     "pki", "portal",  "portal.tar", "portal.txt", "slurm.txt"};

absl::StatusOr<std::string> MakeDirectory(std::string pattern) {
  if (mkdtemp(pattern.data()) == nullptr) {
    return ErrnoError(errno, absl::StrCat("create \"", pattern, "\""));
  }
  return pattern;
}

absl::Status SyncDirectory(const std::string& path) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.valid() && fsync(fd.get()) == 0) return absl::OkStatus();
  return ErrnoError(errno, absl::StrCat("fsync \"", path, "\""));
}

absl::Status MakeTree(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  return error ? ErrnoError(error.value(), absl::StrCat("create ", path))
               : absl::OkStatus();
}

}  // namespace

absl::StatusOr<PrivateDirectory> PrivateDirectory::CreateTemporary() {
  auto made = MakeDirectory("/run/carme-setup.XXXXXX");
  if (!made.ok()) made = MakeDirectory("/tmp/carme-setup.XXXXXX");
  RETURN_IF_ERROR(made.status());
  return PrivateDirectory(*std::move(made));
}

absl::StatusOr<PrivateDirectory> PrivateDirectory::CreateBeside(
    const std::string& path) {
  ASSIGN_OR_RETURN(std::string made,
                   MakeDirectory(absl::StrCat(path, ".XXXXXX")));
  return PrivateDirectory(std::move(made));
}

PrivateDirectory::PrivateDirectory(PrivateDirectory&& other) noexcept
    : path_(std::move(other.path_)) {
  other.path_.clear();
}

PrivateDirectory::~PrivateDirectory() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

absl::Status PrivateDirectory::MoveTo(const std::string& target) {
  const std::string parent = fs::path(target).parent_path();
  if (renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target.c_str(),
                RENAME_NOREPLACE) == 0) {
    path_.clear();
    return SyncDirectory(parent);
  }
  // The old directory gets the temporary name, and is removed with it.
  if (renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target.c_str(),
                RENAME_EXCHANGE) != 0) {
    return ErrnoError(errno, absl::StrCat("replace \"", target, "\""));
  }
  return SyncDirectory(parent);
}

absl::Status CheckStagingDirectory(const std::string& path) {
  const std::string parent = fs::path(path).parent_path();
  struct stat info {};
  const bool exists = lstat(path.c_str(), &info) == 0;
  if (exists && !S_ISDIR(info.st_mode)) {
    return MakePlainError(setup_messages::kDirectoryNotDirectory,
                          {{"path", path}});
  }
  const std::string problem =
      WriteAccessProblem(exists ? path : parent, geteuid());
  if (!problem.empty()) {
    return MakePlainError(setup_messages::kDirectoryUnsafe,
                          {{"problem", problem}});
  }
  if (!exists) return absl::OkStatus();
  std::error_code error;
  for (const auto& each : fs::directory_iterator(path, error)) {
    const std::string name = each.path().filename();
    if (std::find(std::begin(kStagingNames), std::end(kStagingNames), name) ==
        std::end(kStagingNames)) {
      return MakePlainError(setup_messages::kDirectoryForeignFile,
                            {{"path", path}, {"name", name}});
    }
  }
  return absl::OkStatus();
}

absl::Status WriteStaging(const std::string& directory,
                          const std::vector<SetupFile>& files,
                          const std::string& answers,
                          const std::string& slurm_lines,
                          const std::string& portal_lines) {
  RETURN_IF_ERROR(WriteFile(absl::StrCat(directory, "/answers.toml"), answers,
                            kPrivateFile));
  RETURN_IF_ERROR(WriteFile(absl::StrCat(directory, "/slurm.txt"), slurm_lines,
                            kPrivateFile));
  if (!portal_lines.empty()) {
    RETURN_IF_ERROR(WriteFile(absl::StrCat(directory, "/portal.txt"),
                              portal_lines, kPrivateFile));
  }
  for (const SetupHost host : kSetupHosts) {
    if (std::none_of(files.begin(), files.end(), [&](const SetupFile& file) {
          return file.host == host;
        })) {
      continue;
    }
    const std::string base =
        absl::StrCat(directory, "/", std::string(SetupHostName(host)));
    ASSIGN_OR_RETURN(const std::string tar, MakeTar(files, host, absl::Now()));
    RETURN_IF_ERROR(WriteFile(base + ".tar", tar, kPrivateFile));
    for (const SetupFile& file : files) {
      if (file.host != host) continue;
      const std::string path = base + file.path;
      RETURN_IF_ERROR(MakeTree(fs::path(path).parent_path()));
      RETURN_IF_ERROR(WriteFile(path, file.content, kPrivateFile));
    }
  }
  return absl::OkStatus();
}

std::string StagedPasswordPath(const std::string& directory) {
  return absl::StrCat(directory, "/head/etc/carme/ldap-password");
}

}  // namespace carme::carmectl
