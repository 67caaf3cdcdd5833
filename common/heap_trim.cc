#include "common/heap_trim.h"

#include <malloc.h>

#include <algorithm>

namespace carme {

bool HeapTrim::Check() {
  const size_t used = mallinfo2().uordblks;
  peak_bytes_ = std::max(peak_bytes_, used);
  if (peak_bytes_ - used < kWorthwhileBytes) return false;
  peak_bytes_ = used;
  return malloc_trim(0) == 1;
}

}  // namespace carme
