#include <fcntl.h>
#include <mntent.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/random.h"
#include "common/unique_fd.h"
#include "slurm-hooks/vet/config/quantity.h"
#include "slurm-hooks/vet/evaluations/evaluations.h"
#include "slurm-hooks/vet/evaluations/messages.h"

namespace carme::vet {
namespace {

constexpr size_t kWrittenBytes = 64 * 1024;

struct Mount {
  std::string directory;
  std::string type;
};

// The mount that contains `path`, an absolute path without links.
std::optional<Mount> MountOf(const std::string& path) {
  const std::unique_ptr<FILE, int (*)(FILE*)> table(
      setmntent("/proc/self/mounts", "r"), endmntent);
  if (table == nullptr) return std::nullopt;
  std::optional<Mount> best;
  while (const mntent* entry = getmntent(table.get())) {
    const std::string directory = entry->mnt_dir;
    const bool contains = directory == "/" || path == directory ||
                          path.starts_with(directory + "/");
    // a later mount covers an earlier one
    if (!contains || (best && directory.size() < best->directory.size())) {
      continue;
    }
    best = Mount{directory, entry->mnt_type};
  }
  return best;
}

std::string RealPath(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(
      realpath(path.c_str(), nullptr), &std::free);
  return real == nullptr ? path : std::string(real.get());
}

Outcome NotWritten(const std::string& path, int error) {
  return Outcome::Failed(
      FormatMessage(evaluation_messages::kNotWritten,
                    {{"path", path}, {"cause", std::strerror(error)}}));
}

// Writes a file to the disk and reads it back. The file has no name where the
// file system supports that, and never keeps one.
Outcome WriteAndRead(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!fd.valid() && (errno == EOPNOTSUPP || errno == EISDIR ||
                      errno == EINVAL || errno == ENOENT)) {
    std::string name = absl::StrCat(path, "/.carme-vet-XXXXXX");
    fd.reset(mkostemp(name.data(), O_CLOEXEC));
    if (fd.valid()) unlink(name.c_str());
  }
  if (!fd.valid()) return NotWritten(path, errno);
  const std::string content = RandomBytes(kWrittenBytes);
  const ssize_t written = pwrite(fd.get(), content.data(), content.size(), 0);
  if (written < 0) return NotWritten(path, errno);
  if (static_cast<size_t>(written) < content.size()) {
    return NotWritten(path, ENOSPC);
  }
  if (fsync(fd.get()) != 0) return NotWritten(path, errno);
  std::string read_back(content.size(), '\0');
  if (pread(fd.get(), read_back.data(), read_back.size(), 0) != written ||
      read_back != content) {
    return Outcome::Failed(
        FormatMessage(evaluation_messages::kFileDiffers, {{"path", path}}));
  }
  return {};
}

Outcome CheckSpace(const std::string& path, const struct statvfs& space,
                   const Parameters& parameters) {
  const double free =
      static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize);
  const double total =
      static_cast<double>(space.f_blocks) * static_cast<double>(space.f_frsize);
  const auto min_free = parameters.Number("min_free");
  if (min_free.has_value() && free < *min_free) {
    return Outcome::Failed(
        FormatMessage(evaluation_messages::kTooLittleSpace,
                      {{"path", path},
                       {"found", FormatBytes(free)},
                       {"expected", FormatBytes(*min_free)}}));
  }
  const auto min_percent = parameters.Number("min_free_percent");
  const double percent = total > 0 ? 100 * free / total : 100;
  if (min_percent.has_value() && percent < *min_percent) {
    return Outcome::Failed(
        FormatMessage(evaluation_messages::kTooLittleSpace,
                      {{"path", path},
                       {"found", absl::StrCat(percent, " %")},
                       {"expected", absl::StrCat(*min_percent, " %")}}));
  }
  const auto min_inodes = parameters.Number("min_free_inodes");
  // file systems without inodes report zero of zero
  if (min_inodes.has_value() && space.f_files > 0 &&
      static_cast<double>(space.f_favail) < *min_inodes) {
    return Outcome::Failed(FormatMessage(evaluation_messages::kTooFewInodes,
                                         {{"path", path},
                                          {"found", space.f_favail},
                                          {"expected", *min_inodes}}));
  }
  return {};
}

Outcome CheckMount(const std::string& path, const Parameters& parameters) {
  const std::string real = RealPath(path);
  const auto mount = MountOf(real);
  if (!mount.has_value()) {
    return Outcome::Error(FormatMessage(evaluation_messages::kUnreadable,
                                        {{"path", "/proc/self/mounts"}}));
  }
  if (parameters.Bool("mounted", false) && mount->directory != real) {
    return Outcome::Failed(
        FormatMessage(evaluation_messages::kNotMounted, {{"path", path}}));
  }
  const std::string type = parameters.Text("fstype");
  if (!type.empty() && mount->type != type) {
    return Outcome::Failed(FormatMessage(
        evaluation_messages::kFilesystemType,
        {{"path", path}, {"found", mount->type}, {"expected", type}}));
  }
  return {};
}

}  // namespace

Outcome EvaluateFilesystem(const Evaluation& evaluation) {
  const Parameters& parameters = evaluation.parameters;
  const std::string path = parameters.Text("path");
  const bool writable = parameters.Bool("writable", true);
  const absl::Time start = absl::Now();
  struct statvfs space {};
  if (statvfs(path.c_str(), &space) != 0) {
    return Outcome::Failed(
        FormatMessage(evaluation_messages::kPathMissing,
                      {{"path", path}, {"cause", std::strerror(errno)}}));
  }
  Outcome outcome = CheckMount(path, parameters);
  if (outcome.kind == Outcome::Kind::kPassed && writable &&
      (space.f_flag & ST_RDONLY) != 0) {
    outcome = Outcome::Failed(
        FormatMessage(evaluation_messages::kReadOnly, {{"path", path}}));
  }
  if (outcome.kind == Outcome::Kind::kPassed) {
    outcome = CheckSpace(path, space, parameters);
  }
  if (outcome.kind == Outcome::Kind::kPassed && writable) {
    outcome = WriteAndRead(path);
  }
  const double took = absl::ToDoubleSeconds(absl::Now() - start);
  const auto max = parameters.Number("max_latency");
  if (outcome.kind == Outcome::Kind::kPassed && max.has_value() &&
      took > *max) {
    outcome = Outcome::Failed(
        FormatMessage(evaluation_messages::kSlow,
                      {{"subject", absl::StrCat("access to \"", path, "\"")},
                       {"found", FormatSeconds(took)},
                       {"expected", FormatSeconds(*max)}}));
  }
  outcome.metrics["latency_s"] = took;
  outcome.metrics["free_bytes"] =
      static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize);
  return outcome;
}

}  // namespace carme::vet
