// A library of the GPU's driver, which most nodes do not have.
#ifndef CARME_SLURM_HOOKS_VET_EVALUATIONS_DYNAMIC_LIBRARY_H_
#define CARME_SLURM_HOOKS_VET_EVALUATIONS_DYNAMIC_LIBRARY_H_

#include <string>

namespace carme::vet {

class DynamicLibrary {
 public:
  // Loads the first name that exists.
  DynamicLibrary(const char* name, const char* other_name = nullptr);
  DynamicLibrary(const DynamicLibrary&) = delete;

  bool is_loaded() const { return handle_ != nullptr; }
  // Why it is not loaded, or the first function that it lacks; empty: complete.
  const std::string& problem() const { return problem_; }

  // Looks up a function. nullptr: it has none of this name, and problem() names
  // it.
  template <typename Function>
  Function* Find(const char* name) {
    return reinterpret_cast<Function*>(FindAny(name, true));
  }
  // The same for a function that older versions lack: no problem.
  template <typename Function>
  Function* FindOptional(const char* name) {
    return reinterpret_cast<Function*>(FindAny(name, false));
  }

 private:
  void* FindAny(const char* name, bool is_required);

  const std::string name_;
  void* handle_ = nullptr;  // never closed: drivers do not support that
  std::string problem_;
};

}  // namespace carme::vet

#endif  // CARME_SLURM_HOOKS_VET_EVALUATIONS_DYNAMIC_LIBRARY_H_
