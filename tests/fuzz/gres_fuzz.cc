// Slurm's text about a node's generic resources: site's names, any text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "backend/slurm/query/gres.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& [type, count] : carme::backend::ParseGpus(text)) {
    if (type.empty() || count < 0 || count > 65535) std::abort();
    if (type.find_first_of("():,") != std::string_view::npos) std::abort();
  }
  return 0;
}
