// The systemd units of the programs, where systemd runs.
#include <map>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backend/carmectl/doctor/checks/messages.h"
#include "backend/carmectl/doctor/host/check.h"
#include "backend/carmectl/doctor/host/file_rules.h"

namespace carme::carmectl {
namespace {

constexpr FindingKind kUnitFailed{"unit-not-active", Severity::kError,
                                  "The program does not run."};
constexpr FindingKind kUnitDisabled{
    "unit-disabled", Severity::kWarning,
    "The program does not start when the host starts."};
constexpr FindingKind kUnitsNotChecked{
    "units-not-checked", Severity::kNote,
    "Without systemd another service manager must start the programs."};

std::map<std::string, std::string> ReadUnit(const Host& host,
                                            const std::string& unit) {
  std::map<std::string, std::string> properties;
  const auto shown =
      host.tools().Run({.arguments = {"systemctl", "show",
                                      "--property=ActiveState,SubState,"
                                      "UnitFileState,LoadState",
                                      unit}});
  if (!shown.ok()) return properties;
  for (absl::string_view line : absl::StrSplit(shown->output, '\n')) {
    properties.insert(static_cast<std::pair<std::string, std::string>>(
        absl::StrSplit(line, absl::MaxSplits('=', 1))));
  }
  return properties;
}

class UnitsCheck : public Check {
 public:
  CheckInfo info() const override {
    return {
        "units",
        "the systemd units are active and enabled",
        {HostRole::kProxy, HostRole::kFrontend, HostRole::kBackend,
         HostRole::kImpersonator, HostRole::kStorageReader, HostRole::kMetrics},
        {kUnitFailed, kUnitDisabled, kUnitsNotChecked}};
  }

  std::vector<Finding> Run(const Host& host) const override {
    if (!StatFile(host.SystemPath("/run/systemd/system"))) {
      return {{kUnitsNotChecked, FormatMessage(host_check_messages::kNoSystemd),
               FormatMessage(host_check_messages::kNoSystemdRemedy)}};
    }
    std::vector<Finding> findings;
    for (const HostRole role : host.roles()) {
      if (role == HostRole::kNode || role == HostRole::kEnvironment) continue;
      CheckUnit(host, absl::StrCat(std::string(ProgramOf(role)), ".service"),
                &findings);
    }
    return findings;
  }

 private:
  static void CheckUnit(const Host& host, const std::string& unit,
                        std::vector<Finding>* findings) {
    auto properties = ReadUnit(host, unit);
    const std::string active = properties["ActiveState"];
    if (active != "active") {
      findings->push_back(
          {kUnitFailed,
           absl::StrCat(
               unit, " is ",
               active.empty()
                   ? "unknown to systemctl"
                   : absl::StrCat(active, " (", properties["SubState"], ")")),
           FormatMessage(host_check_messages::kUnitRemedy, {{"unit", unit}})});
    }
    if (properties["UnitFileState"] == "disabled") {
      findings->push_back(
          {kUnitDisabled,
           FormatMessage(host_check_messages::kUnitDisabled, {{"unit", unit}}),
           FormatMessage(host_check_messages::kUnitDisabledRemedy,
                         {{"unit", unit}})});
    }
  }
};

}  // namespace

std::unique_ptr<Check> MakeUnitsCheck() {
  return std::make_unique<UnitsCheck>();
}

}  // namespace carme::carmectl
