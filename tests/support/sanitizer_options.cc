// The options of the sanitizers in every program of a build with one, tests and
// daemons alike. Compiled in, because a child of a test's child has another
// environment, and its exit code is often not read: tests/sanitize fails when
// there is a report in the directory.
#include <dlfcn.h>

#define REPORTS CARME_SANITIZER_REPORTS "/report"
// Which suppressions were used is no report.
#define KEPT "log_path=" REPORTS ":log_exe_name=1:print_suppressions=0:"

extern "C" {

const char* __asan_default_options() {
  // Some tests put a library in front of all others.
  return KEPT "detect_stack_use_after_return=0:verify_asan_link_order=0";
}

const char* __ubsan_default_options() { return "print_stacktrace=1"; }

// What the distribution's libraries do is not seen, so it is not judged either;
// their locks are seen (abseil_locks.cc).
const char* __tsan_default_options() {
  return KEPT "ignore_noninstrumented_modules=1";
}

// What others' libraries lose.
const char* __lsan_default_suppressions() {
  return
      // libslurm keeps its copy of a host list that it refuses.
      "leak:slurm_hostlist_create_dims\n"
      // Slurm's plugin does not free a connection that slurmdbd refused, when
      // it is closed (dbd_conn_close() of 22.05).
      "leak:dbd_conn_open\n"
      "leak:dbd_conn_check_and_reopen\n";
}

// gRPC hands calls from thread to thread by atomics that are not seen; only the
// code in its headers is.
const char* __tsan_default_suppressions() {
  return "race:grpc::\n"
         "race:std::_Function_base::_M_empty\n"
         "race:std::function<void (bool)>::operator()\n";
}

}  // extern "C"

#ifdef __SANITIZE_ADDRESS__
namespace {

// Beside the address sanitizer, GCC's other library reads no log_path: it has
// reports of its own, whose path is set by its own function.
[[gnu::constructor]] void TellUndefinedSanitizer() {
  void* library = dlopen("libubsan.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return;
  using SetPath = void (*)(const char*);
  const auto set_path =
      reinterpret_cast<SetPath>(dlsym(library, "__sanitizer_set_report_path"));
  if (set_path != nullptr) set_path(REPORTS);
}

}  // namespace
#endif
