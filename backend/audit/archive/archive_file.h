// A file of archived audit entries: JSON lines, as in exports. The first line
// has the act "archive-begins" and the sequence and hash before the first
// entry, the last line "archive-ends" and those of the last entry. The file can
// be verified by itself, except for its begin and end, which the audit log
// contains.
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

// Writes a temporary file (0600) and renames it: the file is complete or
// missing.
class ArchiveWriter {
 public:
  // ALREADY_EXISTS: `path` or an incomplete earlier file exists.
  static absl::StatusOr<std::unique_ptr<ArchiveWriter>> Create(
      const std::string& path, const ChainHead& begin);
  // Removes an incomplete file.
  ~ArchiveWriter();
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;

  // Adds entries in order. After an error it returns that error again.
  absl::Status Add(const AuditEntry& entry);
  // Completes the file and makes it durable.
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

// Hashes to search for, including the one before the first entry; may be empty.
struct ArchiveSought {
  std::string next{};   // after which the next archive, or the table, begins
  std::string known{};  // as for VerifyAudit
};

// The position of a file in the chain.
struct ArchiveFacts {
  ChainHead begin;  // the entry before the first
  ChainHead end;
  bool has_next = false;
  bool has_known = false;
};

// Reads and checks the whole file in constant memory. DATA_LOSS, with line and
// reason.
absl::StatusOr<ArchiveFacts> ReadArchive(const std::string& path,
                                         const ArchiveSought& sought);

}  // namespace carme::backend

#endif  // CARME_BACKEND_AUDIT_ARCHIVE_ARCHIVE_FILE_H_
