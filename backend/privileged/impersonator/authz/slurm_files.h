// Whether root may let libslurm read slurm.conf, and when Slurm's files have
// changed.
#ifndef CARME_BACKEND_PRIVILEGED_IMPERSONATOR_AUTHZ_SLURM_FILES_H_
#define CARME_BACKEND_PRIVILEGED_IMPERSONATOR_AUTHZ_SLURM_FILES_H_

#include <dirent.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"

namespace carme::impersonator {

// OK: all that libslurm reads for `slurm_conf` is written by root only. A file
// with Include lines is not followed: FAILED_PRECONDITION.
absl::Status CheckRootMayRead(const std::string& slurm_conf);

// slurm.conf and the files in its directory, which it may include.
class SlurmFiles {
 public:
  explicit SlurmFiles(const std::string& slurm_conf);
  // A different number if one of them has changed. Opens no file, because the
  // filter of the request process allows none to be opened.
  uint64_t Fingerprint() const;

 private:
  struct CloseDirectory {
    void operator()(DIR* directory) const { closedir(directory); }
  };
  const std::string directory_name_;
  const std::unique_ptr<DIR, CloseDirectory> directory_;
};

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_IMPERSONATOR_AUTHZ_SLURM_FILES_H_
