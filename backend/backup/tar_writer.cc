#include "backend/backup/tar_writer.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/backup/messages.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kReadBytes = 1 << 20;

}  // namespace

TarWriter::TarWriter(std::string path, std::string folder, absl::Time now,
                     UniqueFd fd)
    : path_(std::move(path)),
      folder_(std::move(folder)),
      now_(now),
      fd_(std::move(fd)),
      tar_(archive_write_new(), archive_write_free) {}

absl::StatusOr<std::unique_ptr<TarWriter>> TarWriter::Create(
    const std::string& path, const std::string& folder, absl::Time now) {
  UniqueFd fd(
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd.valid()) {
    return ErrnoError(errno, absl::StrCat("create \"", path, "\""));
  }
  std::unique_ptr<TarWriter> writer(
      new TarWriter(path, folder, now, std::move(fd)));
  archive_write_set_format_pax_restricted(writer->tar_.get());
  if (archive_write_open_fd(writer->tar_.get(), writer->fd_.get()) !=
      ARCHIVE_OK) {
    return writer->WriteError();
  }
  return writer;
}

TarWriter::~TarWriter() {
  if (!closed_) unlink(path_.c_str());
}

absl::Status TarWriter::AddText(const std::string& name,
                                std::string_view content) {
  RETURN_IF_ERROR(AddHeader(name, static_cast<int64_t>(content.size())));
  return AddBytes(content);
}

absl::Status TarWriter::AddFile(const std::string& name,
                                const std::string& from, int64_t size,
                                const GoOn& go_on) {
  const UniqueFd fd(open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid())
    return ErrnoError(errno, absl::StrCat("open \"", from, "\""));
  RETURN_IF_ERROR(AddHeader(name, size));
  std::string block(kReadBytes, '\0');
  for (int64_t left = size; left > 0;) {
    RETURN_IF_ERROR(go_on());
    const size_t wanted = std::min<int64_t>(left, kReadBytes);
    const ssize_t got = read(fd.get(), block.data(), wanted);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ErrnoError(errno, absl::StrCat("read \"", from, "\""));
    if (got == 0) {
      return MakePlainError(backup_messages::kFileShrank, {{"path", from}});
    }
    RETURN_IF_ERROR(AddBytes({block.data(), static_cast<size_t>(got)}));
    left -= got;
  }
  return absl::OkStatus();
}

absl::Status TarWriter::Close() {
  if (archive_write_close(tar_.get()) != ARCHIVE_OK) return WriteError();
  if (fsync(fd_.get()) != 0) {
    return ErrnoError(errno, absl::StrCat("fsync \"", path_, "\""));
  }
  closed_ = true;
  return absl::OkStatus();
}

absl::Status TarWriter::AddHeader(const std::string& name, int64_t size) {
  const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(
      archive_entry_new(), archive_entry_free);
  archive_entry_set_pathname(entry.get(),
                             absl::StrCat(folder_, "/", name).c_str());
  archive_entry_set_size(entry.get(), size);
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), 0600);
  archive_entry_set_mtime(entry.get(), absl::ToTimeT(now_), 0);
  return archive_write_header(tar_.get(), entry.get()) == ARCHIVE_OK
             ? absl::OkStatus()
             : WriteError();
}

absl::Status TarWriter::AddBytes(std::string_view bytes) {
  if (bytes.empty()) return absl::OkStatus();
  const la_ssize_t written =
      archive_write_data(tar_.get(), bytes.data(), bytes.size());
  return written == static_cast<la_ssize_t>(bytes.size()) ? absl::OkStatus()
                                                          : WriteError();
}

// libarchive keeps the errno value of write(2).
absl::Status TarWriter::WriteError() const {
  const int error = archive_errno(tar_.get());
  const std::string what = absl::StrCat("write \"", path_, "\"");
  if (error > 0) return ErrnoError(error, what);
  const char* const text = archive_error_string(tar_.get());
  return absl::InternalError(
      absl::StrCat(what, ": ", text == nullptr ? "unknown error" : text));
}

}  // namespace carme::backend
