// Free space and inodes where Carme's programs write.
#include <sys/statvfs.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "backend/carmectl/doctor/checks/messages.h"
#include "backend/carmectl/doctor/host/check.h"

namespace carme::carmectl {
namespace {

constexpr FindingKind kDiskFull{
    "disk-full", Severity::kError,
    "While the disk is full, log-ins, submissions and changes wait."};
constexpr FindingKind kDiskLow{
    "disk-space-low", Severity::kWarning,
    "When the disk is full, log-ins, submissions and changes wait."};
constexpr FindingKind kInodesLow{
    "inodes-low", Severity::kWarning,
    "Without free inodes no file can be created, whatever space is free."};
constexpr FindingKind kDiskUnknown{
    "disk-not-checked", Severity::kNote,
    "The free space of a missing directory is unknown."};

class DiskCheck : public Check {
 public:
  CheckInfo info() const override {
    return {"disk",
            "free space and inodes of state, logs, scratch and shared images",
            {HostRole::kProxy, HostRole::kBackend, HostRole::kMetrics,
             HostRole::kNode},
            {kDiskFull, kDiskLow, kInodesLow, kDiskUnknown}};
  }

  std::vector<Finding> Run(const Host& host) const override {
    std::vector<Finding> findings;
    const auto check = [&](const std::string& directory) {
      if (!directory.empty()) CheckDirectory(host, directory, &findings);
    };
    if (const auto& proxy = host.proxy()) {
      check(proxy->state_directory);
      check(std::filesystem::path(proxy->access_log).parent_path().string());
    }
    if (const auto& backend = host.backend()) {
      check(backend->state_directory);
      check(backend->shared_images);
    }
    if (host.metrics()) check(host.metrics()->state_directory);
    if (host.node()) check(host.node()->scratch_directory);
    return findings;
  }

 private:
  static void CheckDirectory(const Host& host, const std::string& directory,
                             std::vector<Finding>* findings) {
    struct statvfs space {};
    if (statvfs(directory.c_str(), &space) != 0) {
      findings->push_back(
          {kDiskUnknown, absl::StrCat("\"", directory, "\": ", strerror(errno)),
           absl::StrCat("ls -ld ", directory)});
      return;
    }
    const FreeSpaceLimits& limits = host.options().free_space;
    const int64_t free_bytes =
        static_cast<int64_t>(space.f_bavail) * space.f_frsize;
    const std::string clean = FormatMessage(
        host_check_messages::kDiskSpaceRemedy, {{"directory", directory}});
    if (free_bytes < limits.low_bytes) {
      findings->push_back(
          {free_bytes < limits.full_bytes ? kDiskFull : kDiskLow,
           FormatMessage(host_check_messages::kDiskSpace,
                         {{"directory", directory},
                          {"free_mib", free_bytes >> 20},
                          {"min_mib", limits.low_bytes >> 20}}),
           clean});
    }
    // Some file systems have no fixed number of inodes.
    if (space.f_files > 0 &&
        static_cast<int64_t>(space.f_favail) < limits.low_inodes) {
      findings->push_back({kInodesLow,
                           FormatMessage(host_check_messages::kInodes,
                                         {{"directory", directory},
                                          {"inodes", space.f_favail}}),
                           FormatMessage(host_check_messages::kInodesRemedy,
                                         {{"directory", directory}})});
    }
  }
};

}  // namespace

std::unique_ptr<Check> MakeDiskCheck() { return std::make_unique<DiskCheck>(); }

}  // namespace carme::carmectl
