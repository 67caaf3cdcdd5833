// Rejects new connections when memory runs short.
#ifndef CARME_PROXY_LIMITS_OVERLOAD_MANAGER_H_
#define CARME_PROXY_LIMITS_OVERLOAD_MANAGER_H_

#include <atomic>
#include <cstdint>

namespace carme::proxy {

// The memory that this process may use, in bytes: the lowest limit of the host,
// its control groups and its address space.
int64_t AvailableMemory();

// Resident memory in bytes; 0 when it is unknown.
int64_t ResidentBytes();

// `wanted`, or the number of connections for which there are enough
// descriptors: two each, and some for everything else. Raises the soft limit to
// the hard limit first, and logs when it is too low.
int MaxConnections(int wanted);

// Thread-safe, except for Update().
class OverloadManager {
 public:
  // `max_mib` of resident memory; 0: 80 % of AvailableMemory().
  explicit OverloadManager(int max_mib);

  // Call it for each new connection. It measures by itself now and then,
  // because many connections may arrive between two calls of Update().
  bool AllowNewConnection();
  // Returns free memory to the kernel, measures, and logs changes. Call it a
  // few times a second from one thread.
  void Update();

 private:
  const int64_t max_bytes_;
  const int64_t hard_max_bytes_;  // AllowNewConnection() rejects
                                  // above this without Update()
  std::atomic<bool> overloaded_ = false;
  std::atomic<uint32_t> connections_ = 0;
  bool logged_ = false;  // of Update()
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_LIMITS_OVERLOAD_MANAGER_H_
