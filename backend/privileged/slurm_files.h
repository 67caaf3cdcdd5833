// What root may know of Slurm's configuration before it reads it.
#ifndef CARME_BACKEND_PRIVILEGED_SLURM_FILES_H_
#define CARME_BACKEND_PRIVILEGED_SLURM_FILES_H_

#include <dirent.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"

namespace carme::impersonator {

// OK: nobody but root can change the file, replace it, or put another one in
// the place of a directory above it. FAILED_PRECONDITION: somebody can.
// NOT_FOUND, PERMISSION_DENIED.
absl::Status CheckOnlyRootWrites(const std::string& path);

// OK: all that libslurm will read from slurm.conf is root's. It is not known of
// one that includes other files: FAILED_PRECONDITION.
absl::Status CheckRootMayRead(const std::string& slurm_conf);

// slurm.conf and the files beside it, which it may include.
class SlurmFiles {
 public:
  explicit SlurmFiles(const std::string& slurm_conf);
  // Another number when one of them has changed. Opens nothing any more: who
  // meets foreign bytes may not.
  uint64_t Fingerprint() const;

 private:
  struct CloseDirectory {
    void operator()(DIR* directory) const { closedir(directory); }
  };
  const std::string directory_name_;
  const std::unique_ptr<DIR, CloseDirectory> directory_;
};

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_SLURM_FILES_H_
