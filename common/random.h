// Bytes from the kernel's generator.
#ifndef CARME_COMMON_RANDOM_H_
#define CARME_COMMON_RANDOM_H_

#include <cstddef>
#include <string>

namespace carme {

// Never fails: a process without randomness ends.
std::string RandomBytes(size_t count);

}  // namespace carme

#endif  // CARME_COMMON_RANDOM_H_
