// Sends files and folders of the user to the browser.
#ifndef CARME_SLURM_HOOKS_FILES_DOWNLOAD_H_
#define CARME_SLURM_HOOKS_FILES_DOWNLOAD_H_

#include <sys/stat.h>

#include <string>

#include "slurm-hooks/files/exchange.h"

namespace carme::files {

// Changes whenever the file does.
std::string EtagOf(const struct stat& info);

// The bytes as a download, or the part that `Range` requests.
void SendDownload(Exchange* exchange, const std::string& path);

// The bytes for a page that shows them. The response is inert: it has an origin
// of its own and runs no scripts.
void SendView(Exchange* exchange, const std::string& path);

// A folder as a tar file, written by the environment's tar(1). What the user
// may not read is left out.
void SendArchive(Exchange* exchange, const std::string& path);

}  // namespace carme::files

#endif  // CARME_SLURM_HOOKS_FILES_DOWNLOAD_H_
