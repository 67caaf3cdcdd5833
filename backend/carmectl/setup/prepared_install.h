// Installs files on this host, all or none: everything that can fail for lack
// of space or rights happens before the first file is replaced.
#ifndef CARME_BACKEND_CARMECTL_SETUP_PREPARED_INSTALL_H_
#define CARME_BACKEND_CARMECTL_SETUP_PREPARED_INSTALL_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/carmectl/setup/site/site_files.h"

namespace carme::carmectl {

struct InstallOptions {
  std::string root;  // prefix of all paths; empty: none
  bool replace = false;
  bool set_owners = true;
  absl::Time now;
};

// Movable; not thread-safe. What was not committed is removed at the end of the
// scope.
class PreparedInstall {
 public:
  // Writes the files of `host` beside their places. A file whose TOML has
  // `configured = false` is replaced; any other with different content only
  // with `replace`, and then a copy PATH.old-TIME is kept. ALREADY_EXISTS
  // without it; FAILED_PRECONDITION: a link, or not a file or directory;
  // PERMISSION_DENIED: others can write to a directory; NOT_FOUND: an account
  // is missing.
  static absl::StatusOr<PreparedInstall> Prepare(
      const std::vector<SetupFile>& files, SetupHost host,
      const InstallOptions& options);

  PreparedInstall(PreparedInstall&& other) noexcept;
  PreparedInstall& operator=(PreparedInstall&&) = delete;
  ~PreparedInstall();

  // Once.
  absl::Status Commit();
  // The copies that Commit() leaves.
  const std::vector<std::string>& copies() const { return copies_; }

 private:
  struct Step {
    std::string temporary;
    std::string target;
  };

  PreparedInstall() = default;
  absl::Status PrepareFile(const SetupFile& file,
                           const InstallOptions& options);
  absl::Status PrepareDirectory(const std::string& path);
  absl::Status PrepareCopy(const SetupFile& file, const std::string& target,
                           const InstallOptions& options);

  std::vector<Step> steps_;
  std::vector<std::string> copies_;
  std::vector<std::string> directories_;  // that were created
};

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_SETUP_PREPARED_INSTALL_H_
