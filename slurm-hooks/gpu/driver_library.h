// A library of a GPU driver, loaded when the program runs. It is never
// unloaded: threads of the driver may still run.
#ifndef CARME_SLURM_HOOKS_GPU_DRIVER_LIBRARY_H_
#define CARME_SLURM_HOOKS_GPU_DRIVER_LIBRARY_H_

#include <string>

#include "absl/status/statusor.h"

namespace carme::gpu {

class DriverLibrary {
 public:
  // NOT_FOUND: not installed.
  static absl::StatusOr<DriverLibrary> Load(const std::string& name);

  // nullptr: it lacks the function.
  template <typename Function>
  Function* Find(const char* function) const {
    return reinterpret_cast<Function*>(FindAddress(function));
  }
  // The file that was loaded, links resolved.
  const std::string& path() const { return path_; }

 private:
  explicit DriverLibrary(void* handle) : handle_(handle) {}
  void* FindAddress(const char* function) const;

  void* handle_;
  std::string path_;
};

}  // namespace carme::gpu

#endif  // CARME_SLURM_HOOKS_GPU_DRIVER_LIBRARY_H_
