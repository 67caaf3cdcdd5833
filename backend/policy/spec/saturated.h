// Sums and products that saturate at the largest number.
#ifndef CARME_BACKEND_POLICY_SPEC_SATURATED_H_
#define CARME_BACKEND_POLICY_SPEC_SATURATED_H_

#include <cstdint>
#include <limits>

namespace carme::backend {

inline int64_t Times(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product)
             ? std::numeric_limits<int64_t>::max()
             : product;
}

inline int64_t Plus(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum)
             ? std::numeric_limits<int64_t>::max()
             : sum;
}

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_SPEC_SATURATED_H_
