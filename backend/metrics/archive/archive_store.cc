#include "backend/metrics/archive/archive_store.h"

#include <fcntl.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backend/metrics/archive/archive_file.h"
#include "backend/metrics/archive/messages.h"
#include "backend/metrics/archive/reduction.h"
#include "common/file.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::metrics {
namespace {

using google::protobuf::io::FileInputStream;

constexpr char kSuffix[] = ".zst";

absl::Status ReadError(int error, const std::string& path) {
  return ErrnoError(error, absl::StrCat("read \"", path, "\""));
}

// Leaves out a quarter of the series, the last ones.
void DropSeries(archive::v1::JobArchive* archive) {
  const int left = archive->series_size() * 3 / 4;
  archive->mutable_series()->DeleteSubrange(left,
                                            archive->series_size() - left);
}

}  // namespace

ArchiveStore::ArchiveStore(std::string directory, const Limits& limits)
    : directory_(std::move(directory)), limits_(limits) {}

std::string ArchiveStore::PathOf(const std::string& job) const {
  return absl::StrCat(directory_, "/", job, kSuffix);
}

bool ArchiveStore::Has(const std::string& job) const {
  return access(PathOf(job).c_str(), R_OK) == 0;
}

absl::Status ArchiveStore::Write(archive::v1::JobArchive archive) const {
  archive.set_schema(kArchiveSchema);
  std::string bytes = EncodeArchive(&archive);
  const auto limit = static_cast<size_t>(limits_.bytes_per_job);
  int64_t step_s = 0;
  for (const archive::v1::ArchivedSeries& series : archive.series()) {
    if (series.resolutions().empty()) continue;
    step_s = std::max<int64_t>(step_s, series.resolutions(0).step_s());
  }
  while (bytes.size() > limit && archive.series_size() > 0) {
    const int64_t coarser_s = CoarserStep_s(step_s);
    if (coarser_s != 0) {
      Coarsen(coarser_s, &archive);
      step_s = coarser_s;
    } else {
      DropSeries(&archive);
    }
    bytes = EncodeArchive(&archive);
  }
  return WriteFile(PathOf(archive.job().job_id()), bytes, 0600);
}

absl::StatusOr<UniqueFd> ArchiveStore::Open(const std::string& job) const {
  const std::string path = PathOf(job);
  UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.valid()) return file;
  if (errno == ENOENT) {
    return MakeError(archive_messages::kNotFound, {{"job", job}});
  }
  return ErrnoError(errno, absl::StrCat("open \"", path, "\""));
}

absl::StatusOr<archive::v1::JobArchive> ArchiveStore::Read(
    const std::string& job) const {
  return ReadSeries(job, [](std::string_view) { return true; });
}

absl::StatusOr<archive::v1::JobArchive> ArchiveStore::ReadSeries(
    const std::string& job,
    absl::FunctionRef<bool(std::string_view name)> keeps) const {
  ASSIGN_OR_RETURN(const UniqueFd file, Open(job));
  FileInputStream bytes(file.get());
  absl::StatusOr<archive::v1::JobArchive> archive =
      DecodeArchive(job, &bytes, keeps);
  // What cannot be read looks like a file that is cut short.
  if (bytes.GetErrno() != 0) return ReadError(bytes.GetErrno(), PathOf(job));
  return archive;
}

absl::StatusOr<archive::v1::JobArchive> ArchiveStore::ReadHead(
    const std::string& job) const {
  ASSIGN_OR_RETURN(const UniqueFd file, Open(job));
  FileInputStream bytes(file.get());
  absl::StatusOr<archive::v1::JobArchive> archive =
      DecodeArchiveHead(job, &bytes);
  if (bytes.GetErrno() != 0) return ReadError(bytes.GetErrno(), PathOf(job));
  return archive;
}

ArchiveStore::Totals ArchiveStore::Enforce(absl::Time now) const {
  struct File {
    absl::Time changed_at;
    int64_t bytes;
    std::string path;
  };
  std::vector<File> files;
  Totals totals;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(directory_, error)) {
    const std::string path = entry.path().string();
    struct stat facts {};
    if (!absl::EndsWith(path, kSuffix) || lstat(path.c_str(), &facts) != 0 ||
        !S_ISREG(facts.st_mode)) {
      continue;
    }
    files.push_back(
        {absl::TimeFromTimespec(facts.st_mtim), facts.st_size, path});
    totals.bytes += facts.st_size;
  }
  if (error) {
    LogError("archives cannot be listed", {{"error", error.message()}});
  }
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) {
    return a.changed_at < b.changed_at;
  });
  totals.files = static_cast<int64_t>(files.size());
  for (const File& file : files) {
    if (totals.bytes <= limits_.bytes_total &&
        now - file.changed_at <= limits_.max_age) {
      break;
    }
    if (unlink(file.path.c_str()) != 0) continue;
    totals.bytes -= file.bytes;
    --totals.files;
    ++totals.removed;
  }
  return totals;
}

}  // namespace carme::metrics
