// Errors of copies and deletions.
#ifndef CARME_SLURM_HOOKS_FILE_TREE_MESSAGES_H_
#define CARME_SLURM_HOOKS_FILE_TREE_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::node::file_tree_messages {

inline constexpr ErrorTemplate kTooManyDirectories{
    absl::StatusCode::kInvalidArgument, "FILE_TREE_TOO_MANY_DIRECTORIES",
    "\"{path}\" lies deeper than {max} directories"};

inline constexpr ErrorTemplate kCopyToRelativePath{
    absl::StatusCode::kInvalidArgument, "FILE_TREE_COPY_TO_RELATIVE_PATH",
    "\"{path}\": expected an absolute path"};

inline constexpr ErrorTemplate kCopyWithoutName{
    absl::StatusCode::kInvalidArgument, "FILE_TREE_COPY_WITHOUT_NAME",
    "\"{path}\" has no name for the copy"};

}  // namespace carme::node::file_tree_messages

#endif  // CARME_SLURM_HOOKS_FILE_TREE_MESSAGES_H_
