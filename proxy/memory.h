// How much memory this process may use, and does.
#ifndef CARME_PROXY_MEMORY_H_
#define CARME_PROXY_MEMORY_H_

#include <cstdint>

namespace carme::proxy {

// What its host, its control groups and its limit of address space leave it, in
// bytes: the least of them.
int64_t MemoryThere();

// Resident, in bytes; 0 when the kernel does not say.
int64_t ResidentBytes();

}  // namespace carme::proxy

#endif  // CARME_PROXY_MEMORY_H_
