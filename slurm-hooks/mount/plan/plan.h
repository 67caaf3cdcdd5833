// What an environment shall be made of: names for messages, and descriptors
// that the user's own rights have opened. Comes packet by packet from a
// process of the user's (opener.h), so nothing in it is believed.
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
  std::string source_path;  // for messages alone
  std::string destination;  // absolute, without "..", not of the system's
  bool read_only = false;
  bool no_exec = false;
  bool slave = false;     // later mounts of the node below it appear here
  bool squashfs = false;  // the source is a file system in a file
  // That file system, where it is the user's own (image_server.h); not the
  // plan's to say.
  UniqueFd served = {};
};

struct PlannedDevice {
  UniqueFd device;
  std::string path;  // in /dev
};

// Where an environment has the libraries of the node's NVIDIA driver: images of
// NVIDIA's look for them there.
inline constexpr std::string_view kNvidiaLibraries = "/usr/local/nvidia/lib64";
// How many files of a driver are mounted, beside the user's mounts.
inline constexpr size_t kMaxDriverFiles = 256;

struct MountPlan {
  UniqueFd image;  // a file open for reading, or a directory
  std::string image_path;
  bool image_is_file = false;
  UniqueFd served;  // as in PlannedMount
  std::vector<PlannedMount> mounts;
  std::vector<PlannedDevice> devices;
  std::string passwd;  // lines for /etc/passwd
  std::string group;   // lines for /etc/group
  // "NAME=VALUE", or "NAME" to unset it.
  std::vector<std::string> variables;
  std::string workdir;  // empty: not said
  // Whether files of the node's NVIDIA driver are among the mounts.
  bool has_nvidia_driver = false;
  bool writable = true;
  bool whole = false;  // the last packet was there
};

// Packets, as the opener sends them; a refusal ends the plan.
std::string ImagePacket(std::string_view path, bool is_file);
std::string MountPacket(const PlannedMount& mount);
std::string DevicePacket(std::string_view path);
std::string AccountPacket(std::string_view passwd, std::string_view group);
std::string VariablePacket(std::string_view variable);
std::string RestPacket(std::string_view workdir, bool writable);
std::string RefusalPacket(std::string_view text);

// Adds what a packet says. INVALID_ARGUMENT: it is none, out of place, or more
// than an environment may have; FAILED_PRECONDITION with the text of a refusal.
absl::Status AddToPlan(node::Packet packet, MountPlan* plan);

// Where a mount may not be: INVALID_ARGUMENT. /proc, /sys and /dev are the
// environment's own, and "/" is the image's.
absl::Status CheckDestination(std::string_view path);

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_PLAN_PLAN_H_
