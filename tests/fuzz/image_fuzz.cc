// What a user can send to the root program that makes environments: packets of
// a plan, and files that claim to be images.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "slurm-hooks/mount/images/squashfs_image.h"
#include "slurm-hooks/mount/plan/plan.h"

namespace carme::mount {
namespace {

void Check(bool holds) {
  if (!holds) std::abort();
}

void FuzzImage(const std::string& bytes) {
  const UniqueFd fd(memfd_create("image", MFD_CLOEXEC));
  Check(write(fd.get(), bytes.data(), bytes.size()) ==
        static_cast<ssize_t>(bytes.size()));
  const absl::StatusOr<SquashfsExtent> extent = FindSquashfs(fd.get());
  if (!extent.ok()) return;
  Check(extent->offset <= bytes.size());
  Check(extent->size <= bytes.size() - extent->offset);
  Check(bytes.substr(extent->offset, 4) == "hsqs");
}

// Lines are packets; those that begin with a capital may have a descriptor.
void FuzzPlan(const std::string& bytes) {
  MountPlan plan;
  for (size_t at = 0; at < bytes.size();) {
    const size_t end = std::min(bytes.find('\n', at), bytes.size());
    node::Packet packet;
    packet.bytes = bytes.substr(at, end - at);
    if (packet.bytes.find_first_of("IMD") == 0) {
      packet.descriptors.emplace_back(open("/dev/null", O_PATH | O_CLOEXEC));
    }
    if (!AddToPlan(std::move(packet), &plan).ok()) break;
    at = end + 1;
  }
  for (const PlannedMount& mount : plan.mounts) {
    Check(CheckDestination(mount.destination).ok());
    Check(mount.source.valid());
  }
  for (const PlannedDevice& device : plan.devices) {
    Check(device.path.starts_with("/dev/"));
  }
  Check(!plan.whole || plan.image.valid());
}

}  // namespace
}  // namespace carme::mount

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  carme::mount::FuzzImage(bytes);
  carme::mount::FuzzPlan(bytes);
  return 0;
}
