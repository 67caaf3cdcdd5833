#include "slurm-hooks/gpu/driver_library.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>

#include "slurm-hooks/gpu/messages.h"

namespace carme::gpu {

absl::StatusOr<DriverLibrary> DriverLibrary::Load(const std::string& name) {
  void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const error = dlerror();
    return MakePlainError(gpu_messages::kNoLibrary,
                          {{"library", name}, {"error", error}});
  }
  DriverLibrary library(handle);
  library.path_ = name;
  link_map* map = nullptr;
  char resolved[PATH_MAX];
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr &&
      realpath(map->l_name, resolved) != nullptr) {
    library.path_ = resolved;
  }
  return library;
}

void* DriverLibrary::FindAddress(const char* function) const {
  return dlsym(handle_, function);
}

}  // namespace carme::gpu
