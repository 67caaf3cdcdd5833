#include "slurm-hooks/agent/environment/image_digest.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/crypto/file_digest.h"
#include "common/file.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"
#include "common/unique_fd.h"
#include "slurm-hooks/agent/environment/messages.h"

namespace carme::agent {
namespace {

constexpr size_t kMaxRemembered = 64;

// Each change of content changes ctime, which users cannot set.
std::string KeyOf(const struct stat& info) {
  return absl::StrCat(info.st_dev, " ", info.st_ino, " ", info.st_size, " ",
                      info.st_mtim.tv_sec, ".", info.st_mtim.tv_nsec, " ",
                      info.st_ctim.tv_sec, ".", info.st_ctim.tv_nsec);
}

std::vector<std::string> Remembered(const std::string& cache) {
  const absl::StatusOr<std::string> text = ReadFile(cache);
  if (!text.ok()) return {};
  return absl::StrSplit(*text, '\n', absl::SkipEmpty());
}

void Remember(const std::string& cache, std::vector<std::string> lines,
              std::string line) {
  lines.push_back(std::move(line));
  if (lines.size() > kMaxRemembered) {
    lines.erase(lines.begin(), lines.end() - kMaxRemembered);
  }
  const absl::Status written =
      WriteFile(cache, absl::StrCat(absl::StrJoin(lines, "\n"), "\n"), 0600);
  // Without the cache the next start takes a second longer.
  if (!written.ok()) {
    LogDebug("digest not cached", {{"error", written.ToString()}});
  }
}

absl::StatusOr<UniqueFd> OpenImage(const std::string& image,
                                   const std::string& what, struct stat* info) {
  UniqueFd fd(open(image.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!fd.valid() || fstat(fd.get(), info) != 0) {
    return ErrnoError(errno, what);
  }
  if (!S_ISREG(info->st_mode)) {
    return MakeError(agent_environment_messages::kImageNotAFile,
                     {{"subject", what}});
  }
  return fd;
}

absl::Status Changed(const std::string& what, const std::string& found,
                     const std::string& sha256) {
  return MakeError(agent_environment_messages::kImageDigestChanged,
                   {{"subject", what}, {"found", found}, {"expected", sha256}});
}

}  // namespace

absl::Status CopyCheckedImage(const std::string& image, int64_t size,
                              const std::string& sha256,
                              const std::string& target) {
  const std::string what = absl::StrCat("image \"", image, "\"");
  struct stat info {};
  ASSIGN_OR_RETURN(const UniqueFd from, OpenImage(image, what, &info));
  if (info.st_size != size) {
    return MakeError(
        agent_environment_messages::kImageSizeChanged,
        {{"subject", what}, {"found", info.st_size}, {"expected", size}});
  }
  const UniqueFd to(open(target.c_str(),
                         O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                         0600));
  if (!to.valid()) {
    return ErrnoError(errno, absl::StrCat("make \"", target, "\""));
  }
  const absl::StatusOr<std::string> found = CopyWithSha256(
      from.get(), to.get(), size, "copy the image to the job's own disk space");
  const absl::Status copied = !found.ok()        ? found.status()
                              : *found != sha256 ? Changed(what, *found, sha256)
                                                 : absl::OkStatus();
  if (!copied.ok()) unlink(target.c_str());
  return copied;
}

absl::Status CheckImageDigest(const std::string& image,
                              const std::string& sha256,
                              const std::string& cache) {
  const std::string what = absl::StrCat("image \"", image, "\"");
  struct stat info {};
  ASSIGN_OR_RETURN(const UniqueFd fd, OpenImage(image, what, &info));
  const std::string line = absl::StrCat(KeyOf(info), " ", sha256);
  std::vector<std::string> lines = Remembered(cache);
  for (const std::string& known : lines) {
    if (known == line) return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::string found, Sha256OfFile(fd.get()));
  if (found != sha256) return Changed(what, found, sha256);
  Remember(cache, std::move(lines), line);
  return absl::OkStatus();
}

}  // namespace carme::agent
