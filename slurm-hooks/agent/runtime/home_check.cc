#include "slurm-hooks/agent/runtime/home_check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "common/unique_fd.h"
#include "slurm-hooks/agent/runtime/messages.h"

namespace carme::agent {
namespace {

// More than common file systems store in the inode.
constexpr size_t kProbeBytes = 16 << 10;

// NFS has no unnamed files.
UniqueFd OpenProbe(const std::string& directory) {
  UniqueFd fd(
      open(directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, S_IRUSR));
  if (fd.valid() || (errno != EOPNOTSUPP && errno != EISDIR)) return fd;
  std::string path = absl::StrCat(directory, "/.carme-probe-XXXXXX");
  fd.reset(mkostemp(path.data(), O_CLOEXEC));
  if (fd.valid()) unlink(path.c_str());
  return fd;
}

}  // namespace

absl::Status CheckWritable(const std::string& directory) {
  const std::string what = absl::StrCat("write to \"", directory, "\"");
  const UniqueFd fd = OpenProbe(directory);
  if (!fd.valid()) return ErrnoError(errno, what);
  const std::string bytes(kProbeBytes, '\0');
  const ssize_t put = write(fd.get(), bytes.data(), bytes.size());
  if (put < 0) return ErrnoError(errno, what);
  // A short write means a full disk, too: the next write fails.
  if (static_cast<size_t>(put) < bytes.size()) return ErrnoError(ENOSPC, what);
  // Network file systems and delayed allocation report errors only here.
  if (fsync(fd.get()) != 0) return ErrnoError(errno, what);
  return absl::OkStatus();
}

DisplayText WithHomeProblem(DisplayText detail, int exit_code,
                            const std::string& home) {
  const absl::Status writable = CheckWritable(home);
  if (writable.ok()) return detail;
  const std::string message(writable.message());
  const std::string cause = message.substr(message.rfind(": ") + 2);
  if (absl::StrContains(detail.text, cause)) return detail;
  if (detail.empty()) {
    detail =
        MakeText(agent_runtime_messages::kEnded, {{"exit_code", exit_code}});
  }
  return JoinTexts({detail, MakeText(agent_runtime_messages::kHomeNotWritable,
                                     {{"directory", home}, {"cause", cause}})});
}

}  // namespace carme::agent
