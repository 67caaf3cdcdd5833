// What every environment has beside its image: processes, devices, temporary
// files, and the names of the user and of hosts.
#ifndef CARME_SLURM_HOOKS_MOUNT_ROOT_ROOT_FS_H_
#define CARME_SLURM_HOOKS_MOUNT_ROOT_ROOT_FS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "slurm-hooks/mount/plan/plan.h"
#include "slurm-hooks/mount/root/new_root.h"

namespace carme::mount {

// /proc without other users' processes, and /sys, read-only.
absl::Status AddKernelFileSystems(NewRoot* root);

// A /dev of its own with the usual devices and those of the plan, the node's
// terminals, and a private /dev/shm in the caller's directory `scratch`.
absl::Status AddDevices(const std::vector<PlannedDevice>& devices,
                        const std::string& scratch, NewRoot* root);

// /tmp, private, in `scratch`.
absl::Status AddTemporary(const std::string& scratch, NewRoot* root);

// /etc/passwd and /etc/group with the plan's lines before the image's own; the
// node's /etc/hosts and /etc/resolv.conf.
absl::Status AddNames(const MountPlan& plan, const std::string& scratch,
                      NewRoot* root);

// What an image says of the processes in it.
struct ImageFacts {
  // What /etc/environment sets, "NAME=VALUE" each; never a variable of Slurm's
  // or Carme's.
  std::vector<std::string> variables;
  // The image's working directory, as `carme edf pull` records it in
  // /.carme/workdir. Empty: none is recorded, or the user cannot go there.
  std::string workdir;
};
ImageFacts ReadImageFacts(const NewRoot& root);

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_ROOT_ROOT_FS_H_
