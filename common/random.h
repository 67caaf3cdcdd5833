// Random bytes from the kernel.
#ifndef CARME_COMMON_RANDOM_H_
#define CARME_COMMON_RANDOM_H_

#include <cstddef>
#include <string>

namespace carme {

// Ends the process if the kernel has no random bytes.
std::string RandomBytes(size_t count);

}  // namespace carme

#endif  // CARME_COMMON_RANDOM_H_
