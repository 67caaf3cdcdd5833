// The server of the app: connections on its unix socket, a thread each.
#ifndef CARME_SLURM_HOOKS_FILES_FILE_SERVER_H_
#define CARME_SLURM_HOOKS_FILES_FILE_SERVER_H_

#include <sys/types.h>

#include <vector>

#include "common/unique_fd.h"
#include "slurm-hooks/files/file_listing.h"

namespace carme::files {

// Serves connections to `socket` until SIGTERM or SIGINT. Then closes them,
// cancels tasks and waits for both for at most two seconds; false: some still
// run, for instance in a file system that does not respond.
// `umask` is that of the process, which no thread may change.
// REQUIRES: BlockStopSignals().
bool RunFileServer(UniqueFd socket, std::vector<FilePlace> places,
                   mode_t umask);

}  // namespace carme::files

#endif  // CARME_SLURM_HOOKS_FILES_FILE_SERVER_H_
