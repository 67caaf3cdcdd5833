#include "backend/privileged/impersonator/authz/slurm_files.h"

#include <sys/stat.h>

#include <string_view>

#include "absl/hash/hash.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "backend/privileged/impersonator/authz/messages.h"
#include "backend/privileged/privsep/root_files.h"
#include "common/file.h"
#include "common/status.h"

namespace carme::impersonator {
namespace {

std::string DirectoryOf(const std::string& path) {
  return path.substr(0, path.rfind('/') + 1);
}

}  // namespace

absl::Status CheckRootMayRead(const std::string& slurm_conf) {
  RETURN_IF_ERROR(CheckOnlyRootWrites(slurm_conf));
  ASSIGN_OR_RETURN(const std::string text, ReadFile(slurm_conf));
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (absl::StartsWithIgnoreCase(absl::StripLeadingAsciiWhitespace(line),
                                   "include")) {
      return MakePlainError(impersonator_authz_messages::kSlurmConfIncludes,
                            {{"path", slurm_conf}});
    }
  }
  return absl::OkStatus();
}

SlurmFiles::SlurmFiles(const std::string& slurm_conf)
    : directory_name_(DirectoryOf(slurm_conf)),
      directory_(opendir(directory_name_.c_str())) {}

uint64_t SlurmFiles::Fingerprint() const {
  // Another directory may have replaced it.
  struct stat info {};
  if (stat(directory_name_.c_str(), &info) != 0) return 0;
  uint64_t fingerprint = absl::HashOf(info.st_ino, info.st_dev);
  if (directory_ == nullptr) return fingerprint;
  rewinddir(directory_.get());
  while (const dirent* entry = readdir(directory_.get())) {
    if (fstatat(dirfd(directory_.get()), entry->d_name, &info, 0) != 0)
      continue;
    // A sum, because the order of readdir() is undefined.
    fingerprint +=
        absl::HashOf(std::string_view(entry->d_name), info.st_ino, info.st_size,
                     info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
  }
  return fingerprint;
}

}  // namespace carme::impersonator
