// A real munged with a key and a socket of its own. Needs root, because munged
// wants to own what it uses.
#ifndef CARME_TESTS_SUPPORT_SERVERS_MUNGED_SERVER_H_
#define CARME_TESTS_SUPPORT_SERVERS_MUNGED_SERVER_H_

#include <sys/types.h>

#include <string>

#include "tests/support/temp_dir.h"

namespace carme {

class MungedServer {
 public:
  // Throws with munged's log when it does not answer within five seconds.
  MungedServer();
  ~MungedServer();
  std::string socket() const { return dir_.File("socket"); }
  // A credential that a process of this uid made.
  std::string EncodeAs(uid_t uid, const std::string& payload, int ttl_s = 60);
  void Stop();

 private:
  void Start();
  TempDir dir_;
  pid_t pid_ = -1;
};

}  // namespace carme

#endif  // CARME_TESTS_SUPPORT_SERVERS_MUNGED_SERVER_H_
