// `carmectl setup`: from questions or a file of answers to the files of all
// hosts of a site.
#ifndef CARME_BACKEND_CARMECTL_SETUP_SETUP_RUN_H_
#define CARME_BACKEND_CARMECTL_SETUP_SETUP_RUN_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "backend/carmectl/doctor/host/name_resolver.h"

namespace carme::carmectl {

struct SetupOptions {
  std::string answers_file;  // empty: ask on the terminal
  std::string directory = "/root/carme-setup";
  std::string root;  // of the files of this host; empty: /
  bool check_only = false;
  bool offline = false;
  bool stage_only = false;
  bool replace = false;
  bool new_authority = false;
  std::string prefix = "/usr";
  std::vector<std::string> tool_directories;
  const NameResolver* resolver = nullptr;
  absl::Time now;
};

// Blocks; reads standard input, prints to standard output. On an error nothing
// was written. Errors of the parts; the process must ignore SIGPIPE.
absl::Status RunSetup(const SetupOptions& options);

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_SETUP_SETUP_RUN_H_
