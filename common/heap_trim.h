// Gives memory back to the system after a peak. malloc keeps what was freed
// below the top of its heap, so that a flood would cost its memory for good.
#ifndef CARME_COMMON_HEAP_TRIM_H_
#define CARME_COMMON_HEAP_TRIM_H_

#include <cstddef>

namespace carme {

// One for the process. Not thread-safe.
class HeapTrim {
 public:
  // Freed since the last trim: less is worth no trim, which stops all
  // allocations for some milliseconds.
  static constexpr size_t kWorthwhileBytes = size_t{16} << 20;

  // Call every few seconds. True: memory was given back.
  bool Look();

 private:
  size_t peak_bytes_ = 0;  // in use, at any Look since the last trim
};

}  // namespace carme

#endif  // CARME_COMMON_HEAP_TRIM_H_
