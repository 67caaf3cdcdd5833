// What every environment has in addition to its image: process and device file
// systems, temporary files, names of users and hosts.
#ifndef CARME_SLURM_HOOKS_MOUNT_ROOT_ROOT_FS_H_
#define CARME_SLURM_HOOKS_MOUNT_ROOT_ROOT_FS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "slurm-hooks/mount/plan/plan.h"
#include "slurm-hooks/mount/root/new_root.h"

namespace carme::mount {

// Adds /proc without other users' processes, and /sys, read-only.
absl::Status AddKernelFileSystems(NewRoot* root);

// Adds a private /dev with the standard devices and those of the plan, the
// node's terminals, and a private /dev/shm in the caller's directory `scratch`.
absl::Status AddDevices(const std::vector<PlannedDevice>& devices,
                        const std::string& scratch, NewRoot* root);

// Adds a private /tmp in `scratch`.
absl::Status AddTemporary(const std::string& scratch, NewRoot* root);

// Adds /etc/passwd and /etc/group with the plan's lines before those of the
// image, and the node's /etc/hosts and /etc/resolv.conf.
absl::Status AddNames(const MountPlan& plan, const std::string& scratch,
                      NewRoot* root);

// Facts about an image.
struct ImageFacts {
  // Variables from /etc/environment, "NAME=VALUE"; never variables of Slurm or
  // Carme.
  std::vector<std::string> variables;
  // Working directory of the image, as `carme edf pull` records it in
  // /.carme/workdir. Empty: not recorded, or not accessible for the user.
  std::string workdir;
};
ImageFacts ReadImageFacts(const NewRoot& root);

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_ROOT_ROOT_FS_H_
