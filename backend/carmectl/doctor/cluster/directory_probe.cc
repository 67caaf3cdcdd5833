#include "backend/carmectl/doctor/cluster/directory_probe.h"

#include "absl/strings/str_split.h"
#include "common/status.h"

namespace carme::carmectl {

absl::StatusOr<std::vector<DirectoryProbeLine>> ProbeDirectory(
    const Host& host, const std::vector<std::string>& users) {
  ToolCall call{.arguments = {"carme-directory-probe",
                              host.ConfigPath(HostRole::kBackend)}};
  call.arguments.insert(call.arguments.end(), users.begin(), users.end());
  // Several servers that do not respond take their time-outs one by one.
  ASSIGN_OR_RETURN(const ToolResult result,
                   host.tools().Run(call, absl::Minutes(1)));
  if (!result.ok()) {
    return absl::FailedPreconditionError(FirstLine(result.error));
  }
  std::vector<DirectoryProbeLine> lines;
  for (absl::string_view line : absl::StrSplit(result.output, '\n')) {
    const std::vector<std::string> fields =
        absl::StrSplit(line, absl::MaxSplits('\t', 2));
    if (fields.size() == 3) lines.push_back({fields[0], fields[1], fields[2]});
  }
  return lines;
}

}  // namespace carme::carmectl
