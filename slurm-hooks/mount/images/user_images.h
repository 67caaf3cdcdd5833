// Serves the images in a plan that belong to the user.
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
  // `home`: the node's mount namespace. All arguments must outlive this.
  UserImages(const MountConfig& config, int home, const User& user,
             const Deadline& deadline)
      : config_(config), home_(home), user_(user), deadline_(deadline) {}

  // Starts a server for each image file outside the site's directories, without
  // accessing the files. PERMISSION_DENIED: the site does not allow users'
  // images; RESOURCE_EXHAUSTED: too many.
  absl::Status Serve(MountPlan* plan);

  // The processes of the servers.
  const std::vector<pid_t>& servers() const { return servers_; }

  // Kills the servers, and thereby unblocks processes that wait for them.
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
