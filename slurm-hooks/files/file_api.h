// The requests of the page, as README.md lists them.
#ifndef CARME_SLURM_HOOKS_FILES_FILE_API_H_
#define CARME_SLURM_HOOKS_FILES_FILE_API_H_

#include <sys/types.h>

#include <utility>
#include <vector>

#include "slurm-hooks/files/exchange.h"
#include "slurm-hooks/files/file_listing.h"
#include "slurm-hooks/files/file_tasks.h"
#include "slurm-hooks/files/request_target.h"

namespace carme::files {

// Thread-safe.
class FileApi {
 public:
  // `umask` is that of the process, for new files and folders.
  FileApi(std::vector<FilePlace> places, mode_t umask)
      : places_(std::move(places)), umask_(umask), tasks_(umask) {}

  // Sends the response. Blocks.
  void Handle(Exchange* exchange);

 private:
  void HandleGet(Exchange* exchange, const RequestTarget& target);
  void HandlePost(Exchange* exchange, const RequestTarget& target);

  const std::vector<FilePlace> places_;
  const mode_t umask_;
  FileTasks tasks_;
};

}  // namespace carme::files

#endif  // CARME_SLURM_HOOKS_FILES_FILE_API_H_
