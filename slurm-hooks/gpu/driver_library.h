// A library of a GPU driver, loaded when the program runs. It is never
// unloaded: threads of the driver may still run.
#ifndef CARME_SLURM_HOOKS_GPU_DRIVER_LIBRARY_H_
#define CARME_SLURM_HOOKS_GPU_DRIVER_LIBRARY_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace carme::gpu {

// Copyable. Not thread-safe.
class DriverLibrary {
 public:
  // Loads the first of the names that exists.
  explicit DriverLibrary(const std::vector<std::string>& names);

  // NOT_FOUND: it is not installed; UNIMPLEMENTED: it lacks a function, the
  // first one is named.
  const absl::Status& status() const { return status_; }
  bool is_loaded() const { return handle_ != nullptr; }
  // The file that was loaded, links resolved.
  const std::string& path() const { return path_; }

  // nullptr: it lacks the function, which status() names.
  template <typename Function>
  Function* Find(const char* function) {
    return reinterpret_cast<Function*>(FindRequired(function));
  }
  // The same for a function that some versions lack: no error.
  template <typename Function>
  Function* FindOptional(const char* function) const {
    return reinterpret_cast<Function*>(FindAddress(function));
  }

 private:
  void* FindRequired(const char* function);
  void* FindAddress(const char* function) const;

  void* handle_ = nullptr;
  std::string path_;
  absl::Status status_;
};

}  // namespace carme::gpu

#endif  // CARME_SLURM_HOOKS_GPU_DRIVER_LIBRARY_H_
