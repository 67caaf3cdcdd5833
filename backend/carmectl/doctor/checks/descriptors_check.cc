// The limit of open files of running programs against what their configuration
// needs.
#include <memory>
#include <string>

#include "backend/carmectl/doctor/checks/messages.h"
#include "backend/carmectl/doctor/checks/process_list.h"
#include "backend/carmectl/doctor/host/check.h"

namespace carme::carmectl {
namespace {

// Of each program, for everything but the configured connections.
constexpr int64_t kOtherDescriptors = 1024;

constexpr FindingKind kDescriptorLimitLow{
    "descriptor-limit-low", Severity::kWarning,
    "Further connections are refused before the configured number is reached."};

class DescriptorsCheck : public Check {
 public:
  CheckInfo info() const override {
    return {"descriptors",
            "running programs may open as many files as they are configured "
            "for",
            {HostRole::kProxy, HostRole::kBackend},
            {kDescriptorLimitLow}};
  }

  std::vector<Finding> Run(const Host& host) const override {
    std::vector<Finding> findings;
    if (host.proxy()) {
      // A connection of a client and one to an agent.
      CheckProgram(host, "carme-proxy",
                   2 * int64_t{host.proxy()->max_connections}, &findings);
    }
    if (host.backend()) {
      CheckProgram(host, "carme-backend", host.backend()->max_agent_connections,
                   &findings);
    }
    return findings;
  }

 private:
  static void CheckProgram(const Host& host, const std::string& program,
                           int64_t connections,
                           std::vector<Finding>* findings) {
    const int64_t needed = connections + kOtherDescriptors;
    for (const ProgramProcess& process : ProcessesOf(host, program)) {
      if (!process.max_open_files || *process.max_open_files >= needed) {
        continue;
      }
      findings->push_back(
          {kDescriptorLimitLow,
           FormatMessage(host_check_messages::kDescriptorLimit,
                         {{"program", program},
                          {"process", process.pid},
                          {"limit", *process.max_open_files},
                          {"needed", needed}}),
           FormatMessage(host_check_messages::kDescriptorLimitRemedy,
                         {{"program", program}, {"needed", needed}})});
    }
  }
};

}  // namespace

std::unique_ptr<Check> MakeDescriptorsCheck() {
  return std::make_unique<DescriptorsCheck>();
}

}  // namespace carme::carmectl
