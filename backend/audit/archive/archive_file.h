// A file of audit entries that left the table: JSON lines, as exports have
// them. Its first and last line stand for the entries around it: act
// "archive-begins" with the sequence and hash before the first entry, act
// "archive-ends" with those of the last. So the file proves itself, but for
// where it begins and ends, which the log that it came from proves.
#ifndef CARME_BACKEND_AUDIT_ARCHIVE_ARCHIVE_FILE_H_
#define CARME_BACKEND_AUDIT_ARCHIVE_ARCHIVE_FILE_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/audit/audit_entry.h"
#include "backend/audit/chain.h"
#include "common/unique_fd.h"

namespace carme::backend {

// Writes beside the path, 0600, and is there as a whole or not at all.
class ArchiveWriter {
 public:
  // ALREADY_EXISTS: `path` is there, or what an earlier one left half done.
  static absl::StatusOr<std::unique_ptr<ArchiveWriter>> Create(
      const std::string& path, const ChainHead& begin);
  // Removes what is half done.
  ~ArchiveWriter();
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;

  // In their order. Once more after the last error: that error.
  absl::Status Add(const AuditEntry& entry);
  // Ends it, and makes it durable under its name.
  absl::Status Close();

 private:
  ArchiveWriter(std::string path, UniqueFd fd, const ChainHead& begin);
  absl::Status Flush();
  std::string PartPath() const;

  const std::string path_;
  UniqueFd fd_;
  ChainHead head_;
  std::string buffer_;
};

// Hashes to look for in a file, that before its first entry included; or "".
struct ArchiveSought {
  std::string next{};   // after which the next archive, or the table, begins
  std::string known{};  // as for VerifyAudit
};

// Where the entries of a file begin and end in the chain.
struct ArchiveFacts {
  ChainHead begin;  // the entry before the first
  ChainHead end;
  bool has_next = false;
  bool has_known = false;
};

// Reads and checks the whole file in constant memory. DATA_LOSS says which line
// is wrong and why.
absl::StatusOr<ArchiveFacts> ReadArchive(const std::string& path,
                                         const ArchiveSought& sought);

}  // namespace carme::backend

#endif  // CARME_BACKEND_AUDIT_ARCHIVE_ARCHIVE_FILE_H_
