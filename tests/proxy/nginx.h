// Debian's nginx in front of an app, as its manual says, to compare with.
#ifndef CARME_TESTS_PROXY_NGINX_H_
#define CARME_TESTS_PROXY_NGINX_H_

#include <sys/types.h>

#include <string>

#include "tests/support/temp_dir.h"

namespace carme::testing {

class Nginx {
 public:
  // `listen` is what its directive of that name says; `more` belongs to the
  // server.
  Nginx(int app_port, const std::string& listen, const std::string& more = "");
  ~Nginx();
  Nginx(const Nginx&) = delete;

 private:
  TempDir directory_;
  pid_t pid_ = 0;
};

}  // namespace carme::testing

#endif  // CARME_TESTS_PROXY_NGINX_H_
