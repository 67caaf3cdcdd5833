#include "slurm-hooks/gpu/driver_library.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>

#include "slurm-hooks/gpu/messages.h"

namespace carme::gpu {

DriverLibrary::DriverLibrary(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) {
      const char* const error = dlerror();
      if (!status_.ok()) continue;
      status_ = MakePlainError(
          gpu_messages::kNoLibrary,
          {{"library", name},
           {"error", error == nullptr ? "unknown error" : error}});
      continue;
    }
    status_ = absl::OkStatus();
    path_ = name;
    link_map* map = nullptr;
    char resolved[PATH_MAX];
    if (dlinfo(handle_, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr &&
        realpath(map->l_name, resolved) != nullptr) {
      path_ = resolved;
    }
    return;
  }
}

void* DriverLibrary::FindRequired(const char* function) {
  void* const found = FindAddress(function);
  if (found == nullptr && status_.ok()) {
    status_ = MakePlainError(gpu_messages::kNoFunction,
                             {{"library", path_}, {"function", function}});
  }
  return found;
}

void* DriverLibrary::FindAddress(const char* function) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_, function);
}

}  // namespace carme::gpu
