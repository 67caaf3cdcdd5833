// The images of a plan that are the user's own.
#ifndef CARME_SLURM_HOOKS_MOUNT_IMAGES_USER_IMAGES_H_
#define CARME_SLURM_HOOKS_MOUNT_IMAGES_USER_IMAGES_H_

#include <sys/types.h>

#include <vector>

#include "absl/status/status.h"
#include "slurm-hooks/mount/plan/mount_config.h"
#include "slurm-hooks/mount/plan/plan.h"
#include "slurm-hooks/mount/system/child_work.h"
#include "slurm-hooks/mount/system/user.h"

namespace carme::mount {

class UserImages {
 public:
  // `home`: the node's mount namespace. All outlive it.
  UserImages(const MountConfig& config, int home, const User& user,
             const Deadline& deadline)
      : config_(config), home_(home), user_(user), deadline_(deadline) {}

  // Starts a server for each image file that does not lie in a folder of the
  // site's. Touches none of them. PERMISSION_DENIED: the site wants none;
  // RESOURCE_EXHAUSTED: too many.
  absl::Status Serve(MountPlan* plan);

  // Their processes.
  const std::vector<pid_t>& servers() const { return servers_; }

  // Ends the servers, and with them whatever waits for one.
  void End();

 private:
  absl::Status ServeOne(int file, UniqueFd* served);

  const MountConfig& config_;
  const int home_;
  const User user_;
  const Deadline deadline_;
  std::vector<pid_t> servers_;
};

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_IMAGES_USER_IMAGES_H_
