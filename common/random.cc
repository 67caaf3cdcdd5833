#include "common/random.h"

#include <sys/random.h>

#include <cerrno>
#include <cstdlib>

namespace carme {

std::string RandomBytes(size_t count) {
  std::string bytes(count, '\0');
  size_t filled = 0;
  while (filled < count) {
    const ssize_t got = getrandom(bytes.data() + filled, count - filled, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) std::abort();
    filled += static_cast<size_t>(got);
  }
  return bytes;
}

}  // namespace carme
