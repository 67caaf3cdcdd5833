#include "tests/bench/support/process_use.h"

#include <unistd.h>

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/file.h"

namespace carme {
namespace {

double MbAfter(const std::string& status, const std::string& name) {
  const size_t at = status.find(name);
  return at == std::string::npos
             ? 0
             : std::stod(status.substr(at + name.size())) / 1024;
}

}  // namespace

ProcessorTime ProcessorTimeOf(const std::string& pid) {
  const std::string stat =
      ReadFile(absl::StrCat("/proc/", pid, "/stat")).value();
  // From the state on, which follows the name.
  const std::vector<std::string> fields =
      absl::StrSplit(stat.substr(stat.rfind(')') + 2), ' ');
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  return {.user = absl::Seconds(std::stod(fields.at(11)) / ticks),
          .kernel = absl::Seconds(std::stod(fields.at(12)) / ticks)};
}

ResidentMemory ResidentMemoryOf(const std::string& pid) {
  const std::string status =
      ReadFile(absl::StrCat("/proc/", pid, "/status")).value();
  return {.now_mb = MbAfter(status, "VmRSS:"),
          .max_mb = MbAfter(status, "VmHWM:")};
}

}  // namespace carme
