// Nobody new is let in while memory is short.
#ifndef CARME_PROXY_MEMORY_GATE_H_
#define CARME_PROXY_MEMORY_GATE_H_

#include <atomic>
#include <cstdint>

namespace carme::proxy {

// Thread-safe, but for Keep().
class MemoryGate {
 public:
  // `most_mib` of resident memory; 0: four fifths of what there is, by the
  // machine, the control groups and the address space's limit.
  explicit MemoryGate(int most_mib);

  // For each connection that comes. It looks by itself now and then, because a
  // crowd comes between two calls of Keep().
  bool LetsIn();
  // Gives back to the kernel what is free, looks, and tells the log. Call it a
  // few times a second, from one thread.
  void Keep();

 private:
  const int64_t most_;
  const int64_t at_once_;  // beyond this LetsIn() does not wait for Keep()
  std::atomic<bool> short_ = false;
  std::atomic<uint32_t> arrivals_ = 0;
  bool told_ = false;  // Keep()'s
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_MEMORY_GATE_H_
