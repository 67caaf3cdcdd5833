#include "backend/backup/backup_files.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <google/protobuf/util/json_util.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "backend/backup/messages.h"
#include "common/crypto/file_digest.h"
#include "common/file.h"
#include "common/printable.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr char kFolder[] = "carme-backup";
constexpr char kManifestFile[] = "manifest.json";
constexpr size_t kMaxManifestBytes = 1 << 20;
constexpr size_t kBlockBytes = 1 << 20;
constexpr size_t kMaxPathBytes = 200;

using TarReader = std::unique_ptr<archive, decltype(&archive_read_free)>;

absl::Status TarError(archive* tar, absl::StatusCode code) {
  const char* const text = archive_error_string(tar);
  return absl::Status(code, text == nullptr ? "unknown error" : text);
}

absl::StatusOr<std::string> ToJson(const BackupManifest& manifest) {
  std::string json;
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  if (google::protobuf::util::MessageToJsonString(manifest, &json, options)
          .ok()) {
    return json;
  }
  return absl::InternalError("the manifest cannot be written as JSON");
}

bool IsKnownFile(const std::string& name) {
  return name == kDatabaseFile ||
         std::find(std::begin(kKeyFiles), std::end(kKeyFiles), name) !=
             std::end(kKeyFiles);
}

// The name without the folder. INVALID_ARGUMENT: anything but a regular file of
// the folder.
absl::StatusOr<std::string> NameOf(archive_entry* entry) {
  const char* const path = archive_entry_pathname(entry);
  const std::string_view name = path == nullptr ? "" : path;
  const std::string folder = absl::StrCat(kFolder, "/");
  if (!name.starts_with(folder) || archive_entry_filetype(entry) != AE_IFREG ||
      archive_entry_hardlink(entry) != nullptr) {
    return MakePlainError(backup_messages::kUnexpectedFile,
                          {{"file", PlainText(name, kMaxPathBytes)}});
  }
  return std::string(name.substr(folder.size()));
}

absl::StatusOr<BackupManifest> ReadManifest(archive* tar,
                                            archive_entry* entry) {
  ASSIGN_OR_RETURN(const std::string name, NameOf(entry));
  const int64_t size = archive_entry_size(entry);
  if (name != kManifestFile || size < 0 ||
      size > static_cast<int64_t>(kMaxManifestBytes)) {
    return MakePlainError(backup_messages::kManifestNotFirst);
  }
  std::string json(static_cast<size_t>(size), '\0');
  if (archive_read_data(tar, json.data(), json.size()) != size) {
    return TarError(tar, absl::StatusCode::kDataLoss);
  }
  BackupManifest manifest;
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;  // of later formats: see below
  if (!google::protobuf::util::JsonStringToMessage(json, &manifest, options)
           .ok()) {
    return MakePlainError(backup_messages::kManifestInvalid);
  }
  if (manifest.format() == kBackupFormat) return manifest;
  return MakePlainError(
      backup_messages::kFormat,
      {{"found", manifest.format()},
       {"version", PlainText(manifest.carme_version(), kMaxPathBytes)},
       {"expected", kBackupFormat}});
}

absl::Status CopyContent(archive* tar, int fd, const GoOn& go_on) {
  std::string block(kBlockBytes, '\0');
  while (true) {
    RETURN_IF_ERROR(go_on());
    const la_ssize_t got = archive_read_data(tar, block.data(), block.size());
    if (got < 0) return TarError(tar, absl::StatusCode::kDataLoss);
    if (got == 0) return absl::OkStatus();
    for (la_ssize_t done = 0; done < got;) {
      const ssize_t put =
          write(fd, block.data() + done, static_cast<size_t>(got - done));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return ErrnoError(errno, "write");
      done += put;
    }
  }
}

// Reads a file of the archive and compares it with the manifest.
absl::Status ReadContent(archive* tar, const BackupFile& file,
                         const std::string& path, const GoOn& go_on) {
  const UniqueFd fd(
      open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd.valid()) {
    return ErrnoError(errno, absl::StrCat("create \"", path, "\""));
  }
  RETURN_IF_ERROR(CopyContent(tar, fd.get(), go_on));
  if (fsync(fd.get()) != 0) {
    return ErrnoError(errno, absl::StrCat("fsync \"", path, "\""));
  }
  const int64_t size = lseek(fd.get(), 0, SEEK_END);
  lseek(fd.get(), 0, SEEK_SET);
  ASSIGN_OR_RETURN(const std::string sha256, Sha256OfFile(fd.get()));
  if (size == file.size_bytes() && sha256 == file.sha256()) {
    return absl::OkStatus();
  }
  return MakePlainError(
      backup_messages::kFileDamaged,
      {{"file", file.name()},
       {"bytes", size},
       {"sha256", sha256},
       {"expected_bytes", file.size_bytes()},
       {"expected_sha256", PlainText(file.sha256(), kMaxPathBytes)}});
}

absl::StatusOr<BackupManifest> ReadTar(archive* tar,
                                       const std::string& directory,
                                       const GoOn& go_on) {
  archive_entry* entry = nullptr;
  if (archive_read_next_header(tar, &entry) != ARCHIVE_OK) {
    return MakePlainError(backup_messages::kNotABackup);
  }
  ASSIGN_OR_RETURN(BackupManifest manifest, ReadManifest(tar, entry));
  std::map<std::string, const BackupFile*> expected;
  for (const BackupFile& file : manifest.files()) {
    if (!IsKnownFile(file.name()) ||
        !expected.emplace(file.name(), &file).second) {
      return MakePlainError(backup_messages::kUnknownFile,
                            {{"file", PlainText(file.name(), kMaxPathBytes)}});
    }
  }
  int next = archive_read_next_header(tar, &entry);
  for (; next == ARCHIVE_OK; next = archive_read_next_header(tar, &entry)) {
    ASSIGN_OR_RETURN(const std::string name, NameOf(entry));
    const auto found = expected.find(name);
    if (found == expected.end()) {
      return MakePlainError(backup_messages::kFileNotListed,
                            {{"file", PlainText(name, kMaxPathBytes)}});
    }
    RETURN_IF_ERROR(ReadContent(tar, *found->second,
                                absl::StrCat(directory, "/", name), go_on));
    expected.erase(found);
  }
  if (next != ARCHIVE_EOF) return TarError(tar, absl::StatusCode::kDataLoss);
  if (expected.empty()) return manifest;
  return MakePlainError(backup_messages::kIncomplete,
                        {{"file", expected.begin()->first}});
}

}  // namespace

absl::StatusOr<BackupFile> DescribeFile(const std::string& directory,
                                        const std::string& name) {
  const std::string path = absl::StrCat(directory, "/", name);
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info {};
  if (!fd.valid() || fstat(fd.get(), &info) != 0) {
    return ErrnoError(errno, absl::StrCat("open \"", path, "\""));
  }
  ASSIGN_OR_RETURN(std::string sha256, Sha256OfFile(fd.get()));
  BackupFile file;
  file.set_name(name);
  file.set_size_bytes(info.st_size);
  file.set_sha256(std::move(sha256));
  return file;
}

absl::Status WriteBackupFile(const std::string& path,
                             const BackupManifest& manifest,
                             const std::string& directory, const GoOn& go_on) {
  ASSIGN_OR_RETURN(const std::string json, ToJson(manifest));
  ASSIGN_OR_RETURN(const auto tar,
                   TarWriter::Create(
                       path, kFolder,
                       absl::FromUnixSeconds(manifest.created_at().seconds())));
  RETURN_IF_ERROR(tar->AddText(kManifestFile, json));
  for (const BackupFile& file : manifest.files()) {
    RETURN_IF_ERROR(tar->AddFile(file.name(),
                                 absl::StrCat(directory, "/", file.name()),
                                 file.size_bytes(), go_on));
  }
  return tar->Close();
}

absl::StatusOr<BackupSource> BackupSource::Open(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.valid()) return BackupSource{path, std::move(fd)};
  return ErrnoError(errno, absl::StrCat("open \"", path, "\""));
}

absl::StatusOr<BackupManifest> ReadBackupFile(const BackupSource& source,
                                              const std::string& directory,
                                              const GoOn& go_on) {
  const TarReader tar(archive_read_new(), archive_read_free);
  archive_read_support_format_tar(tar.get());
  lseek(source.fd.get(), 0, SEEK_SET);
  absl::StatusOr<BackupManifest> manifest =
      archive_read_open_fd(tar.get(), source.fd.get(), kBlockBytes) ==
              ARCHIVE_OK
          ? ReadTar(tar.get(), directory, go_on)
          : MakePlainError(backup_messages::kNotABackup);
  if (manifest.ok()) return manifest;
  return Annotate(manifest.status(), absl::StrCat("\"", source.path, "\""));
}

absl::Status SyncDirectory(const std::string& directory) {
  const UniqueFd fd(
      open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.valid() && fsync(fd.get()) == 0) return absl::OkStatus();
  return ErrnoError(errno, absl::StrCat("fsync \"", directory, "\""));
}

absl::StatusOr<PartDirectory> PartDirectory::Create(const std::string& path) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return ErrnoError(errno, absl::StrCat("create \"", path, "\""));
  }
  UniqueFd fd(
      open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  struct stat info {};
  if (!fd.valid() || fstat(fd.get(), &info) != 0) {
    return ErrnoError(errno, absl::StrCat("open \"", path, "\""));
  }
  if (info.st_uid != geteuid()) {
    return MakePlainError(backup_messages::kFileOfAnother, {{"path", path}});
  }
  if (flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    return MakePlainError(backup_messages::kInUse, {{"path", path}});
  }
  std::error_code error;
  for (const auto& left : std::filesystem::directory_iterator(path, error)) {
    std::error_code ignored;
    std::filesystem::remove_all(left.path(), ignored);
  }
  return PartDirectory(path, std::move(fd));
}

PartDirectory::~PartDirectory() {
  if (!fd_.valid()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string PartDirectory::File(std::string_view name) const {
  return absl::StrCat(path_, "/", std::string(name));
}

}  // namespace carme::backend
