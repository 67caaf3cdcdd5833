// Writes files that the browser sends: whole ones, and ones in parts that can
// be resumed after a lost connection.
#ifndef CARME_SLURM_HOOKS_FILES_UPLOAD_H_
#define CARME_SLURM_HOOKS_FILES_UPLOAD_H_

#include <sys/types.h>

#include <string>

#include "slurm-hooks/files/exchange.h"
#include "slurm-hooks/files/request_target.h"

namespace carme::files {

// PUT /api/file: the content of a file, complete or a part of it. The file gets
// its new content at once: the bytes go into a temporary file beside it.
// `umask` is for new files.
void ReceiveFile(Exchange* exchange, const RequestTarget& target, mode_t umask);

// GET and DELETE /api/upload: how much of an upload in parts has arrived;
// forget it.
void SendUploadState(Exchange* exchange, const RequestTarget& target);
void DeleteUpload(Exchange* exchange, const RequestTarget& target);

// Renames and never replaces an existing file. The errors of renameat2(2).
absl::Status RenameToNew(const std::string& from, const std::string& to);

}  // namespace carme::files

#endif  // CARME_SLURM_HOOKS_FILES_UPLOAD_H_
