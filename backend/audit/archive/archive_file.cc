#include "backend/audit/archive/archive_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/audit/archive/messages.h"
#include "backend/audit/audit_proto.h"
#include "common/message.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr char kBegins[] = "archive-begins";
constexpr char kEnds[] = "archive-ends";
constexpr size_t kBufferBytes = 1 << 18;
constexpr size_t kMaxLineBytes = 1 << 16;

std::string Mark(const char* act, const ChainHead& place) {
  return absl::StrCat(JsonLine({.sequence = place.sequence,
                                .act = act,
                                .decision = "allow",
                                .hash = place.hash}),
                      "\n");
}

absl::Status WriteAll(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      return ErrnoError(errno, absl::StrCat("write \"", path, "\""));
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

absl::Status SyncFolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder =
      slash == path.npos ? "." : path.substr(0, slash + 1);
  const UniqueFd fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.valid() && fsync(fd.get()) == 0) return absl::OkStatus();
  return ErrnoError(errno, absl::StrCat("sync \"", folder, "\""));
}

// The next line as an entry. OUT_OF_RANGE: end of the file.
absl::StatusOr<AuditEntry> NextEntry(std::ifstream& file) {
  std::string line;
  if (!std::getline(file, line)) {
    return MakePlainError(audit_archive_messages::kEndMissing);
  }
  if (line.size() > kMaxLineBytes) {
    return MakePlainError(audit_archive_messages::kLineTooLong,
                          {{"bytes", line.size()}, {"max", kMaxLineBytes}});
  }
  return EntryOfLine(line);
}

void Compare(const std::string& hash, const ArchiveSought& sought,
             ArchiveFacts* facts) {
  facts->has_next = facts->has_next || hash == sought.next;
  facts->has_known = facts->has_known || hash == sought.known;
}

absl::StatusOr<ArchiveFacts> Read(std::ifstream& file,
                                  const ArchiveSought& sought, int64_t* line) {
  ASSIGN_OR_RETURN(const AuditEntry first, NextEntry(file));
  const bool is_start = first.sequence > 0 || first.hash == ChainStart();
  if (first.act != kBegins || first.hash.size() != ChainStart().size() ||
      !is_start) {
    return MakePlainError(audit_archive_messages::kBeginMissing);
  }
  ArchiveFacts facts{.begin = {first.sequence, first.hash}, .end = {}};
  Compare(first.hash, sought, &facts);
  ChainCheck check(facts.begin);
  while (true) {
    ++*line;
    ASSIGN_OR_RETURN(const AuditEntry entry, NextEntry(file));
    if (entry.act == kEnds) {
      facts.end = check.head();
      const ChainHead said{entry.sequence, entry.hash};
      if (said == facts.end && file.peek() == EOF) return facts;
      return MakePlainError(audit_archive_messages::kEndDiffers);
    }
    RETURN_IF_ERROR(check.Take(entry));
    Compare(entry.hash, sought, &facts);
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<ArchiveWriter>> ArchiveWriter::Create(
    const std::string& path, const ChainHead& begin) {
  if (access(path.c_str(), F_OK) == 0) {
    return MakePlainError(audit_archive_messages::kExists, {{"path", path}});
  }
  const std::string part = absl::StrCat(path, ".part");
  UniqueFd fd(open(part.c_str(),
                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid()) {
    return ErrnoError(errno, absl::StrCat("make \"", part, "\""));
  }
  return std::unique_ptr<ArchiveWriter>(
      new ArchiveWriter(path, std::move(fd), begin));
}

ArchiveWriter::ArchiveWriter(std::string path, UniqueFd fd,
                             const ChainHead& begin)
    : path_(std::move(path)),
      fd_(std::move(fd)),
      head_(begin),
      buffer_(Mark(kBegins, begin)) {}

ArchiveWriter::~ArchiveWriter() {
  if (fd_.valid()) unlink(PartPath().c_str());
}

std::string ArchiveWriter::PartPath() const {
  return absl::StrCat(path_, ".part");
}

absl::Status ArchiveWriter::Flush() {
  const std::string bytes = std::exchange(buffer_, "");
  return WriteAll(fd_.get(), bytes, path_);
}

absl::Status ArchiveWriter::Add(const AuditEntry& entry) {
  absl::StrAppend(&buffer_, JsonLine(entry), "\n");
  head_ = {entry.sequence, entry.hash};
  return buffer_.size() < kBufferBytes ? absl::OkStatus() : Flush();
}

absl::Status ArchiveWriter::Close() {
  absl::StrAppend(&buffer_, Mark(kEnds, head_));
  RETURN_IF_ERROR(Flush());
  if (fsync(fd_.get()) != 0) {
    return ErrnoError(errno, absl::StrCat("sync \"", path_, "\""));
  }
  // rename(2) would replace a file that was created meanwhile.
  if (link(PartPath().c_str(), path_.c_str()) != 0) {
    return ErrnoError(errno, absl::StrCat("make \"", path_, "\""));
  }
  unlink(PartPath().c_str());
  fd_ = UniqueFd();
  return SyncFolderOf(path_);
}

absl::StatusOr<ArchiveFacts> ReadArchive(const std::string& path,
                                         const ArchiveSought& sought) {
  std::ifstream file(path);
  if (!file) {
    return MakePlainError(audit_archive_messages::kNotFound, {{"path", path}});
  }
  int64_t line = 1;
  absl::StatusOr<ArchiveFacts> facts = Read(file, sought, &line);
  if (facts.ok()) return facts;
  return MakePlainError(
      audit_archive_messages::kLineInvalid,
      {{"path", path}, {"line", line}, {"problem", facts.status().message()}});
}

}  // namespace carme::backend
