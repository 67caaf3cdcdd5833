// A host that is gone, as the other side of a connection sees it.
#ifndef CARME_TESTS_PROXY_VANISH_H_
#define CARME_TESTS_PROXY_VANISH_H_

#include <linux/filter.h>
#include <sys/socket.h>

#include <cstdlib>

namespace carme::testing {

// Nothing that comes to `fd` is seen from now on, nor acknowledged.
inline void Vanish(int fd) {
  sock_filter nothing = BPF_STMT(BPF_RET | BPF_K, 0);
  const sock_fprog filter = {1, &nothing};
  if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) !=
      0) {
    std::abort();
  }
}

}  // namespace carme::testing

#endif  // CARME_TESTS_PROXY_VANISH_H_
