// The directory with the files of all hosts. It is built beside its place and
// put there as a whole: a reader sees the old one or the new one.
#ifndef CARME_BACKEND_CARMECTL_SETUP_STAGING_H_
#define CARME_BACKEND_CARMECTL_SETUP_STAGING_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/carmectl/setup/site/site_files.h"

namespace carme::carmectl {

// A directory (0700) that is removed with its content at the end of the scope.
// Movable; not thread-safe.
class PrivateDirectory {
 public:
  // In /run if possible, else in /tmp.
  static absl::StatusOr<PrivateDirectory> CreateTemporary();
  // Beside `path`, with a random name.
  static absl::StatusOr<PrivateDirectory> CreateBeside(const std::string& path);

  PrivateDirectory(PrivateDirectory&& other) noexcept;
  PrivateDirectory& operator=(PrivateDirectory&&) = delete;
  ~PrivateDirectory();

  const std::string& path() const { return path_; }
  // Puts the directory at `target`; what was there is removed.
  absl::Status MoveTo(const std::string& target);

 private:
  explicit PrivateDirectory(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

// The directory may be created or replaced. PERMISSION_DENIED: other users can
// write there; FAILED_PRECONDITION: a link or not a directory; ALREADY_EXISTS:
// it has files that setup did not write.
absl::Status CheckStagingDirectory(const std::string& path);

// Writes into `directory`: answers.toml, slurm.txt, portal.txt if there are
// such lines, and for each host that has files HOST.tar and these below HOST/.
absl::Status WriteStaging(const std::string& directory,
                          const std::vector<SetupFile>& files,
                          const std::string& answers,
                          const std::string& slurm_lines,
                          const std::string& portal_lines);

// The path of the staged LDAP password, which a later run can use again.
std::string StagedPasswordPath(const std::string& directory);

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_SETUP_STAGING_H_
