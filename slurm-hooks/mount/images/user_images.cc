#include "slurm-hooks/mount/images/user_images.h"

#include <signal.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status.h"
#include "slurm-hooks/mount/images/image_server.h"
#include "slurm-hooks/mount/images/messages.h"
#include "slurm-hooks/mount/images/trusted_image.h"

namespace carme::mount {
namespace {

// Each server is a process of the step.
constexpr size_t kMaxServers = 16;

}  // namespace

absl::Status UserImages::Serve(MountPlan* plan) {
  absl::Status status;
  if (plan->image_is_file) {
    status = Annotate(ServeOne(plan->image.get(), &plan->served),
                      absl::StrCat("image \"", plan->image_path, "\""));
  }
  for (PlannedMount& mount : plan->mounts) {
    if (!status.ok()) break;
    if (!mount.squashfs) continue;
    status = Annotate(ServeOne(mount.source.get(), &mount.served),
                      absl::StrCat("mount \"", mount.source_path, "\" at \"",
                                   mount.destination, "\""));
  }
  if (!status.ok()) End();
  return status;
}

absl::Status UserImages::ServeOne(int file, UniqueFd* served) {
  if (IsInFolder(file, config_.images)) return absl::OkStatus();
  if (!config_.user_images) {
    return MakePlainError(
        mount_image_messages::kNotOfTheSiteOrUnpacked,
        {{"directories", absl::StrJoin(config_.images, "\" or \"")}});
  }
  if (servers_.size() >= kMaxServers) {
    return MakePlainError(mount_image_messages::kTooManyImages,
                          {{"max", kMaxServers}});
  }
  ASSIGN_OR_RETURN(ServedImage image,
                   ServeImage(file, home_, user_, deadline_));
  servers_.push_back(image.server);
  *served = std::move(image.tree);
  return absl::OkStatus();
}

void UserImages::End() {
  for (const pid_t server : servers_) kill(server, SIGKILL);
  servers_.clear();
}

}  // namespace carme::mount
