// What tools in an image need to know of the user: the image's own accounts
// are not the site's.
#ifndef CARME_SLURM_HOOKS_MOUNT_ACCOUNT_LINES_H_
#define CARME_SLURM_HOOKS_MOUNT_ACCOUNT_LINES_H_

#include <string>

namespace carme::mount {

// Of the process's own user, as passwd(5) has it; empty when unknown.
std::string OwnPasswdLine();

// Of the process's groups, as group(5) has it, without members; at most 64.
std::string OwnGroupLines();

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_ACCOUNT_LINES_H_
