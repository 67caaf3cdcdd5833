// Returns free memory to the system after a peak. malloc keeps freed memory
// below the top of its heap, so that memory use would stay at its peak.
#ifndef CARME_COMMON_HEAP_TRIM_H_
#define CARME_COMMON_HEAP_TRIM_H_

#include <cstddef>

namespace carme {

// One for the process. Not thread-safe.
class HeapTrim {
 public:
  // The minimum to free since the last trim, because a trim blocks all
  // allocations for some milliseconds.
  static constexpr size_t kWorthwhileBytes = size_t{16} << 20;

  // Call it every few seconds. True: memory was returned.
  bool Check();

 private:
  size_t peak_bytes_ = 0;  // in use, at any Check since the last trim
};

}  // namespace carme

#endif  // CARME_COMMON_HEAP_TRIM_H_
