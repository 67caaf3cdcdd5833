#include "slurm-hooks/vet/evaluations/dynamic_library.h"

#include <dlfcn.h>

#include "slurm-hooks/vet/evaluations/messages.h"

namespace carme::vet {

DynamicLibrary::DynamicLibrary(const char* name, const char* other_name)
    : name_(name), handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
  std::string cause;
  if (handle_ == nullptr) {
    const char* const error = dlerror();
    cause = error == nullptr ? "unknown error" : error;
    if (other_name != nullptr) handle_ = dlopen(other_name, RTLD_NOW);
  }
  if (handle_ == nullptr) {
    problem_ =
        FormatMessage(evaluation_messages::kNoLibrary, {{"cause", cause}});
  }
}

void* DynamicLibrary::FindAny(const char* name, bool is_required) {
  if (handle_ == nullptr) return nullptr;
  void* const found = dlsym(handle_, name);
  if (found == nullptr && is_required && problem_.empty()) {
    problem_ = FormatMessage(evaluation_messages::kNoSymbol,
                             {{"library", name_}, {"name", name}});
  }
  return found;
}

}  // namespace carme::vet
