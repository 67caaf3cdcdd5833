// Variables by which Slurm and Carme describe a job to its programs.
#ifndef CARME_COMMON_RESERVED_VARIABLES_H_
#define CARME_COMMON_RESERVED_VARIABLES_H_

#include <string_view>

namespace carme {

// Whether `name` is reserved for Slurm or Carme. An image must not set such a
// variable, because programs would use its value as the job's.
inline bool IsReservedVariable(std::string_view name) {
  for (const std::string_view prefix : {"SLURM_", "SLURMD_", "CARME_"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

}  // namespace carme

#endif  // CARME_COMMON_RESERVED_VARIABLES_H_
