// Reads the files of a squashfs in user space with libsquashfuse. The image is
// not trusted: its content is only passed on.
#ifndef CARME_SLURM_HOOKS_MOUNT_IMAGES_SQUASHFS_TREE_H_
#define CARME_SLURM_HOOKS_MOUNT_IMAGES_SQUASHFS_TREE_H_

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "slurm-hooks/mount/images/squashfs_image.h"

namespace carme::mount {

// Not thread-safe, but several objects may read the same descriptor. Functions
// return an errno, 0 for success.
class SquashfsTree {
 public:
  // Identifies a file while the image is open.
  using Node = uint64_t;
  static constexpr Node kTop = 1;

  struct Name {
    std::string_view name;
    uint64_t number;  // of the inode
    mode_t kind;      // S_IFMT
    uint64_t next;    // offset of the next entry
  };

  // The descriptor stays the caller's and must outlive the tree.
  // INVALID_ARGUMENT: unreadable image.
  static absl::StatusOr<std::unique_ptr<SquashfsTree>> Open(
      int fd, SquashfsExtent extent);
  ~SquashfsTree();
  SquashfsTree(const SquashfsTree&) = delete;
  SquashfsTree& operator=(const SquashfsTree&) = delete;

  int Stat(Node node, struct stat* facts);
  int Find(Node directory, std::string_view name, Node* found);
  int ReadLink(Node link, std::string* target);
  // Reads at most *size bytes and sets *size to their number.
  int Read(Node file, uint64_t offset, size_t* size, char* bytes);
  // Lists entries from `offset` (0 at first) while `take` returns true,
  // including "." and "..".
  int List(Node directory, uint64_t offset,
           const std::function<bool(const Name&)>& take);
  uint64_t bytes_used() const;

 private:
  struct Parts;
  explicit SquashfsTree(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_IMAGES_SQUASHFS_TREE_H_
