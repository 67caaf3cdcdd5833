// The programs run, and only one backend uses the database.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_join.h"
#include "backend/carmectl/doctor/checks/active_host.h"
#include "backend/carmectl/doctor/checks/messages.h"
#include "backend/carmectl/doctor/checks/process_list.h"
#include "backend/carmectl/doctor/host/check.h"
#include "backend/carmectl/doctor/host/file_rules.h"

namespace carme::carmectl {
namespace {

constexpr FindingKind kTwoBackends{
    "two-backends", Severity::kError,
    "Two backends on one database overwrite each other's decisions."};
constexpr FindingKind kRootProgramSocket{
    "root-program-socket", Severity::kError,
    "The backend reaches the root program by this socket only."};

class ProcessesCheck : public Check {
 public:
  CheckInfo info() const override {
    return {
        "processes",
        "one backend uses the state directory; root programs have their "
        "sockets",
        {HostRole::kBackend, HostRole::kImpersonator, HostRole::kStorageReader},
        {kTwoBackends, kRootProgramSocket}};
  }

  std::vector<Finding> Run(const Host& host) const override {
    std::vector<Finding> findings;
    if (host.backend()) CheckBackends(host, &findings);
    if (host.impersonator()) {
      CheckSocket("carme-impersonator",
                  host.SystemPath(host.impersonator()->socket), &findings);
    }
    if (host.storage_reader()) {
      CheckSocket("carme-storage-reader",
                  host.SystemPath(host.storage_reader()->socket), &findings);
    }
    return findings;
  }

 private:
  static void CheckBackends(const Host& host, std::vector<Finding>* findings) {
    const std::string database = host.backend()->state_directory + "/carme.db";
    std::vector<int> users;
    for (const ProgramProcess& process : ProcessesOf(host, "carme-backend")) {
      const auto& files = process.open_files;
      if (std::find(files.begin(), files.end(), database) != files.end()) {
        users.push_back(process.pid);
      }
    }
    const auto active = users.empty() ? std::nullopt : OtherActiveHost(host);
    if (active) {
      findings->push_back(
          {kTwoBackends,
           FormatMessage(host_check_messages::kActiveTwice,
                         {{"process", users.front()},
                          {"host", *active},
                          {"database", database}}),
           FormatMessage(host_check_messages::kActiveTwiceRemedy)});
    }
    if (users.size() < 2) return;
    findings->push_back(
        {kTwoBackends,
         FormatMessage(host_check_messages::kTwoBackends,
                       {{"processes", absl::StrJoin(users, ", ")},
                        {"database", database}}),
         FormatMessage(host_check_messages::kTwoBackendsRemedy)});
  }

  static void CheckSocket(const std::string& program, const std::string& path,
                          std::vector<Finding>* findings) {
    const auto info = StatFile(path);
    if (info && S_ISSOCK(info->st_mode)) return;
    findings->push_back({kRootProgramSocket,
                         FormatMessage(host_check_messages::kNoSocket,
                                       {{"program", program}, {"path", path}}),
                         FormatMessage(host_check_messages::kProgramRemedy,
                                       {{"program", program}})});
  }
};

}  // namespace

std::unique_ptr<Check> MakeProcessesCheck() {
  return std::make_unique<ProcessesCheck>();
}

}  // namespace carme::carmectl
