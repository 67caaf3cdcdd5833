// The content of an environment: names for messages, and descriptors that were
// opened with the user's rights. It arrives in packets from a process of the
// user (plan_sender.h), so nothing in it is trusted.
#ifndef CARME_SLURM_HOOKS_MOUNT_PLAN_PLAN_H_
#define CARME_SLURM_HOOKS_MOUNT_PLAN_PLAN_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "common/unique_fd.h"
#include "slurm-hooks/process/packet_socket.h"

namespace carme::mount {

struct PlannedMount {
  UniqueFd source = {};
  std::string source_path;  // for messages only
  std::string destination;  // absolute, without "..", not a system directory
  bool read_only = false;
  bool no_exec = false;
  bool slave = false;     // later mounts below it on the node appear here
  bool squashfs = false;  // the source is a squashfs file
  // The mounted file system of a user's image (image_server.h); never set by
  // the plan's packets.
  UniqueFd served = {};
};

struct PlannedDevice {
  UniqueFd device;
  std::string path;  // in /dev
};

// Path of the node's NVIDIA libraries in an environment, where NVIDIA's images
// look for them.
inline constexpr std::string_view kNvidiaLibraries = "/usr/local/nvidia/lib64";
// Maximum number of driver files, in addition to the user's mounts.
inline constexpr size_t kMaxDriverFiles = 256;

struct MountPlan {
  UniqueFd image;  // a file open for reading, or a directory
  std::string image_path;
  bool image_is_file = false;
  UniqueFd served;  // same as in PlannedMount
  std::vector<PlannedMount> mounts;
  std::vector<PlannedDevice> devices;
  std::string passwd;  // lines for /etc/passwd
  std::string group;   // lines for /etc/group
  // "NAME=VALUE", or "NAME" to unset it.
  std::vector<std::string> variables;
  std::string workdir;  // may be empty
  // Whether the mounts contain files of the node's NVIDIA driver.
  bool has_nvidia_driver = false;
  bool writable = true;
  bool whole = false;  // the last packet was received
};

// Packets from the plan sender; a refusal ends the plan.
std::string ImagePacket(std::string_view path, bool is_file);
std::string MountPacket(const PlannedMount& mount);
std::string DevicePacket(std::string_view path);
std::string AccountPacket(std::string_view passwd, std::string_view group);
std::string VariablePacket(std::string_view variable);
std::string RestPacket(std::string_view workdir, bool writable);
std::string RefusalPacket(std::string_view text);

// Adds the content of a packet. INVALID_ARGUMENT: malformed, out of order, or
// too many; FAILED_PRECONDITION with the text of a refusal.
absl::Status AddToPlan(node::Packet packet, MountPlan* plan);

// Checks the destination of a mount. INVALID_ARGUMENT for /proc, /sys and /dev,
// which belong to the environment, and "/", which is the image.
absl::Status CheckDestination(std::string_view path);

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_PLAN_PLAN_H_
