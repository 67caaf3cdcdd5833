#include "backend/metrics/archive/archive_store.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backend/metrics/archive/messages.h"
#include "backend/metrics/archive/reduction.h"
#include "common/file.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::metrics {
namespace {

constexpr int kCompressionLevel = 3;
constexpr char kSuffix[] = ".zst";
// The limit of a file that is read: those of a larger limit before stay
// readable.
constexpr size_t kMaxFileBytes = ArchiveStore::kMaxDecodedBytes;

absl::Status Corrupt(const std::string& job, std::string_view cause) {
  return MakeError(archive_messages::kCorrupt,
                   {{"job", job}, {"cause", cause}});
}

// Leaves out a quarter of the series, the last ones.
void DropSeries(archive::v1::JobArchive* archive) {
  const int left = archive->series_size() * 3 / 4;
  archive->mutable_series()->DeleteSubrange(left,
                                            archive->series_size() - left);
}

// `Archive`: a JobArchive, or a part of it.
template <typename Archive>
absl::StatusOr<Archive> Decode(const std::string& job,
                               const std::string& bytes) {
  const unsigned long long size =  // NOLINT: zstd's type
      ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) {
    return Corrupt(job, "no zstd frame");
  }
  if (size > ArchiveStore::kMaxDecodedBytes) {
    return MakeError(archive_messages::kTooLarge,
                     {{"job", job},
                      {"bytes", size},
                      {"max", ArchiveStore::kMaxDecodedBytes}});
  }
  std::string text(size, '\0');
  const size_t decoded =
      ZSTD_decompress(text.data(), text.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(decoded) != 0 || decoded != text.size()) {
    return Corrupt(job, "the zstd frame is incomplete");
  }
  Archive archive;
  if (!archive.ParseFromString(text)) return Corrupt(job, "no JobArchive");
  if (archive.schema() > ArchiveStore::kSchema) {
    return MakeError(archive_messages::kNewer,
                     {{"job", job}, {"schema", archive.schema()}});
  }
  if (archive.schema() == 0 || archive.job().job_id() != job) {
    return Corrupt(job, "it is of another job");
  }
  return archive;
}

}  // namespace

std::string EncodeArchive(const archive::v1::JobArchive& archive) {
  const std::string text = archive.SerializeAsString();
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(
      ZSTD_createCCtx(), ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel,
                         kCompressionLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  const size_t size = ZSTD_compress2(context.get(), bytes.data(), bytes.size(),
                                     text.data(), text.size());
  // Cannot fail: the bound is kept.
  bytes.resize(ZSTD_isError(size) != 0 ? 0 : size);
  return bytes;
}

absl::StatusOr<archive::v1::JobArchive> DecodeArchive(
    const std::string& job, const std::string& bytes) {
  return Decode<archive::v1::JobArchive>(job, bytes);
}

ArchiveStore::ArchiveStore(std::string directory, const Limits& limits)
    : directory_(std::move(directory)), limits_(limits) {}

std::string ArchiveStore::PathOf(const std::string& job) const {
  return absl::StrCat(directory_, "/", job, kSuffix);
}

bool ArchiveStore::Has(const std::string& job) const {
  return access(PathOf(job).c_str(), R_OK) == 0;
}

absl::Status ArchiveStore::Write(archive::v1::JobArchive archive) const {
  archive.set_schema(kSchema);
  std::string bytes = EncodeArchive(archive);
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
    bytes = EncodeArchive(archive);
  }
  return WriteFile(PathOf(archive.job().job_id()), bytes, 0600);
}

absl::StatusOr<std::string> ArchiveStore::ReadBytes(
    const std::string& job) const {
  absl::StatusOr<std::string> bytes = ReadFile(PathOf(job), kMaxFileBytes);
  if (absl::IsNotFound(bytes.status())) {
    return MakeError(archive_messages::kNotFound, {{"job", job}});
  }
  return bytes;
}

absl::StatusOr<archive::v1::JobArchive> ArchiveStore::Read(
    const std::string& job) const {
  ASSIGN_OR_RETURN(const std::string bytes, ReadBytes(job));
  return DecodeArchive(job, bytes);
}

absl::StatusOr<v1::JobReceipt> ArchiveStore::ReadReceipt(
    const std::string& job) const {
  ASSIGN_OR_RETURN(const std::string bytes, ReadBytes(job));
  ASSIGN_OR_RETURN(archive::v1::ReceiptArchive archive,
                   Decode<archive::v1::ReceiptArchive>(job, bytes));
  if (!archive.has_receipt()) {
    return MakeError(archive_messages::kNotFound, {{"job", job}});
  }
  return std::move(*archive.mutable_receipt());
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
