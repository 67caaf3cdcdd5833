// The files of a squashfs, read in user space by libsquashfuse. The image may
// hold anything: what it says of itself is only ever passed on.
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

// Not thread-safe; several may read the same descriptor. Operations return an
// errno, 0 for success.
class SquashfsTree {
 public:
  // Names a file for as long as the image lives.
  using Node = uint64_t;
  static constexpr Node kTop = 1;

  struct Name {
    std::string_view name;
    uint64_t number;  // of the inode
    mode_t kind;      // S_IFMT
    uint64_t next;    // where the listing goes on behind it
  };

  // The descriptor is the caller's and outlives the tree. INVALID_ARGUMENT: it
  // cannot be read.
  static absl::StatusOr<std::unique_ptr<SquashfsTree>> Open(
      int fd, SquashfsExtent extent);
  ~SquashfsTree();
  SquashfsTree(const SquashfsTree&) = delete;
  SquashfsTree& operator=(const SquashfsTree&) = delete;

  int Stat(Node node, struct stat* facts);
  int Find(Node directory, std::string_view name, Node* found);
  int ReadLink(Node link, std::string* target);
  // At most *size bytes, which becomes how many there were.
  int Read(Node file, uint64_t offset, size_t* size, char* bytes);
  // From `offset` on, 0 at first, for as long as `take` wants more. "." and
  // ".." are among them.
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
