// Collects what a developer needs to understand a problem of a host.
#ifndef CARME_BACKEND_CARMECTL_SUPPORT_SUPPORT_BUNDLE_H_
#define CARME_BACKEND_CARMECTL_SUPPORT_SUPPORT_BUNDLE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "backend/carmectl/doctor/host/tool_runner.h"

namespace carme::carmectl {

struct SupportBundleOptions {
  std::string file;  // must not exist
  std::string config_directory = "/etc/carme";
  // Their files are listed with owner, mode and size, without content.
  std::vector<std::string> listed_directories = {
      "/etc/carme", "/var/lib/carme", "/var/lib/carme-proxy", "/run/carme"};
  int log_lines = 2000;  // of each service
  // Adds carmectl doctor. Its checks take some seconds.
  bool with_doctor = true;
  absl::Time now;
};

// Writes a tar file (0600) with versions, the configuration without secrets
// (shown_config.h), the newest lines of the journal, the findings of `carmectl
// doctor` and lists of files. A part that is not available has the reason
// instead. ALREADY_EXISTS; RESOURCE_EXHAUSTED: the disk is full.
absl::Status CreateSupportBundle(const SupportBundleOptions& options,
                                 const ToolRunner& tools);

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_SUPPORT_SUPPORT_BUNDLE_H_
