// A carme-frontend for the backends of a test, with an index.html as its web
// application.
#ifndef CARME_TESTS_SUPPORT_SERVERS_FRONTEND_PROCESS_H_
#define CARME_TESTS_SUPPORT_SERVERS_FRONTEND_PROCESS_H_

#include <sys/types.h>

#include <string>

#include "tests/support/held_port.h"
#include "tests/support/temp_dir.h"

namespace carme {

class FrontendProcess {
 public:
  // `backends`: [backend] and [[clusters]] of its configuration. The portal is
  // https://carme.test. Throws if it does not start.
  explicit FrontendProcess(const std::string& backends);
  ~FrontendProcess();

  int port() const { return port_.number(); }
  std::string Log() const;

 private:
  TempDir dir_;
  const testing::HeldPort port_;
  pid_t pid_ = -1;
};

}  // namespace carme

#endif  // CARME_TESTS_SUPPORT_SERVERS_FRONTEND_PROCESS_H_
