// Ring buffer of the newest bytes of a terminal; each byte has a number.
//
// Not thread-safe.
// 1. Bytes are numbered in the order of Append(), without gaps.
// 2. [start(), end()) can be read; end() - start() <= capacity.
#ifndef CARME_SLURM_HOOKS_SHELL_OUTPUT_RING_H_
#define CARME_SLURM_HOOKS_SHELL_OUTPUT_RING_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace carme::shell {

class OutputRing {
 public:
  // `first` is the number of the next byte. `capacity` must be positive.
  OutputRing(uint64_t first, size_t capacity);

  void Append(std::string_view bytes);
  uint64_t start() const;
  uint64_t end() const { return end_; }
  // At most `max` bytes from number `from` on; none outside of
  // [start(), end()).
  std::string Read(uint64_t from, size_t max) const;

 private:
  const uint64_t first_;
  const size_t capacity_;
  uint64_t end_;
  // Not initialised: a terminal with little output uses little memory.
  std::unique_ptr<char[]> bytes_;
};

}  // namespace carme::shell

#endif  // CARME_SLURM_HOOKS_SHELL_OUTPUT_RING_H_
