// A host whose first process is systemd, with units of the test's.
#ifndef CARME_TESTS_SUPPORT_SERVERS_SYSTEMD_HOST_H_
#define CARME_TESTS_SUPPORT_SERVERS_SYSTEMD_HOST_H_

#include <sys/types.h>

#include <string>

#include "tests/support/temp_dir.h"

namespace carme::testing {

// Files: add them, then Boot(). The host has the network that the calling
// thread had then; tests/support/servers/systemd_host lists what else is its
// own.
class SystemdHost {
 public:
  SystemdHost() = default;
  // Ends everything on it.
  ~SystemdHost();
  SystemdHost(const SystemdHost&) = delete;
  SystemdHost& operator=(const SystemdHost&) = delete;

  // There is a systemd to be had, and the right to start it.
  static bool Possible();

  // Has units/, and sysusers. Seen by the host as well.
  const std::string& directory() const { return directory_.path(); }
  // Throws when it does not come up.
  void Boot();
  // Runs it there by a shell; what it printed, without the last newline.
  // `status`: how it ended; without, it must end well, or this throws.
  std::string Run(const std::string& command, int* status = nullptr) const;
  // Of a unit, by its name in systemctl-show(1).
  std::string Property(const std::string& unit, const std::string& name) const;

 private:
  TempDir directory_;
  pid_t outside_ = 0;
  pid_t systemd_ = 0;
};

}  // namespace carme::testing

#endif  // CARME_TESTS_SUPPORT_SERVERS_SYSTEMD_HOST_H_
