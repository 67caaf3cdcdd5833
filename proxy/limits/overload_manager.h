// Nobody new is let in while memory is short.
#ifndef CARME_PROXY_LIMITS_OVERLOAD_MANAGER_H_
#define CARME_PROXY_LIMITS_OVERLOAD_MANAGER_H_

#include <atomic>
#include <cstdint>

namespace carme::proxy {

// What its host, its control groups and its limit of address space leave it, in
// bytes: the least of them.
int64_t AvailableMemory();

// Resident, in bytes; 0 when the kernel does not say.
int64_t ResidentBytes();

// `wanted`, or as many as there can be with two descriptors each and some for
// everything else: who is let in shall find one for the way on. Raises the soft
// limit to the hard one before, and logs when it is not enough.
int MaxConnections(int wanted);

// Thread-safe, but for Update().
class OverloadManager {
 public:
  // `max_mib` of resident memory; 0: four fifths of what there is, by the
  // machine, the control groups and the address space's limit.
  explicit OverloadManager(int max_mib);

  // For each connection that comes. It looks by itself now and then, because a
  // crowd comes between two calls of Update().
  bool AllowNewConnection();
  // Gives back to the kernel what is free, looks, and tells the log. Call it a
  // few times a second, from one thread.
  void Update();

 private:
  const int64_t max_bytes_;
  const int64_t hard_max_bytes_;  // beyond this AllowNewConnection() does not
                                  // wait for Update()
  std::atomic<bool> overloaded_ = false;
  std::atomic<uint32_t> connections_ = 0;
  bool logged_ = false;  // Update()'s
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_LIMITS_OVERLOAD_MANAGER_H_
