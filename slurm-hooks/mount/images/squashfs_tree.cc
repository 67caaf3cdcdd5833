#include "slurm-hooks/mount/images/squashfs_tree.h"

#include <sys/sysmacros.h>

extern "C" {
#include <squashfuse/squashfuse.h>
}

#include <cerrno>
#include <climits>
#include <utility>

#include "slurm-hooks/mount/images/messages.h"

namespace carme::mount {
namespace {

// The library caches one block of data, which two interleaved readers would
// evict each time.
constexpr size_t kKeptBlocks = 8;
// Before them come "." and "..", and 0 is the beginning.
constexpr uint64_t kFirstName = 2;

absl::Status CannotOpen(sqfs_err error, sqfs* fs) {
  switch (error) {
    case SQFS_BADCOMP: {
      // Null for a number that squashfuse does not know.
      const char* const name = sqfs_compression_name(sqfs_compression(fs));
      return MakePlainError(mount_image_messages::kCompression,
                            {{"compression", name == nullptr ? "" : name}});
    }
    case SQFS_BADVERSION:
      return MakePlainError(mount_image_messages::kSquashfsVersion);
    default:
      return MakePlainError(mount_image_messages::kDamaged);
  }
}

mode_t KindOf(const sqfs_inode& inode) {
  return sqfs_mode(inode.base.inode_type) & S_IFMT;
}

}  // namespace

struct SquashfsTree::Parts {
  sqfs fs = {};

  // Opens a node if it is of this kind.
  int Get(Node node, mode_t kind, int otherwise, sqfs_inode* inode) {
    const sqfs_inode_id id =
        node == kTop ? sqfs_inode_root(&fs) : node - kTop - 1;
    if (sqfs_inode_get(&fs, inode, id) != SQFS_OK) return EIO;
    return kind == 0 || KindOf(*inode) == kind ? 0 : otherwise;
  }

  Node NodeOf(sqfs_inode_id id) {
    return id == sqfs_inode_root(&fs) ? kTop : id + kTop + 1;
  }
};

SquashfsTree::SquashfsTree(std::unique_ptr<Parts> parts)
    : parts_(std::move(parts)) {}

SquashfsTree::~SquashfsTree() { sqfs_destroy(&parts_->fs); }

absl::StatusOr<std::unique_ptr<SquashfsTree>> SquashfsTree::Open(
    int fd, SquashfsExtent extent) {
  auto parts = std::make_unique<Parts>();
  const sqfs_err error = sqfs_init(&parts->fs, fd, extent.offset);
  if (error != SQFS_OK) return CannotOpen(error, &parts->fs);
  std::unique_ptr<SquashfsTree> tree(new SquashfsTree(std::move(parts)));
  sqfs_cache* const blocks = &tree->parts_->fs.data_cache;
  sqfs_cache_destroy(blocks);
  struct stat top {};
  if (sqfs_block_cache_init(blocks, kKeptBlocks) != SQFS_OK ||
      tree->Stat(kTop, &top) != 0 || !S_ISDIR(top.st_mode)) {
    return MakePlainError(mount_image_messages::kDamaged);
  }
  return tree;
}

int SquashfsTree::Stat(Node node, struct stat* facts) {
  sqfs_inode inode{};
  if (const int error = parts_->Get(node, 0, 0, &inode)) return error;
  sqfs_id_t uid = 0, gid = 0;
  if (sqfs_id_get(&parts_->fs, inode.base.uid, &uid) != SQFS_OK ||
      sqfs_id_get(&parts_->fs, inode.base.guid, &gid) != SQFS_OK) {
    return EIO;
  }
  *facts = {};
  facts->st_ino = inode.base.inode_number;
  facts->st_mode = KindOf(inode) | (inode.base.mode & 07777);
  facts->st_nlink = static_cast<nlink_t>(inode.nlink);
  facts->st_uid = uid;
  facts->st_gid = gid;
  facts->st_mtime = inode.base.mtime;
  switch (facts->st_mode & S_IFMT) {
    case S_IFREG:
      facts->st_size = static_cast<off_t>(inode.xtra.reg.file_size);
      break;
    case S_IFDIR:
      facts->st_size = inode.xtra.dir.dir_size;
      break;
    case S_IFLNK:
      facts->st_size = static_cast<off_t>(inode.xtra.symlink_size);
      break;
    case S_IFCHR:
    case S_IFBLK:
      facts->st_rdev = makedev(static_cast<unsigned>(inode.xtra.dev.major),
                               static_cast<unsigned>(inode.xtra.dev.minor));
      break;
    default:
      break;
  }
  return facts->st_size < 0 ? EIO : 0;
}

int SquashfsTree::Find(Node directory, std::string_view name, Node* found) {
  sqfs_inode inode{};
  if (const int error = parts_->Get(directory, S_IFDIR, ENOTDIR, &inode)) {
    return error;
  }
  if (name.size() > SQUASHFS_NAME_LEN) return ENAMETOOLONG;
  sqfs_name buffer;
  sqfs_dir_entry entry;
  sqfs_dentry_init(&entry, buffer);
  bool there = false;
  if (sqfs_dir_lookup(&parts_->fs, &inode, name.data(), name.size(), &entry,
                      &there) != SQFS_OK) {
    return EIO;
  }
  if (!there) return ENOENT;
  *found = parts_->NodeOf(sqfs_dentry_inode(&entry));
  return 0;
}

int SquashfsTree::ReadLink(Node link, std::string* target) {
  sqfs_inode inode{};
  if (const int error = parts_->Get(link, S_IFLNK, EINVAL, &inode)) {
    return error;
  }
  if (inode.xtra.symlink_size >= PATH_MAX) return EIO;
  std::string text(inode.xtra.symlink_size + 1, '\0');
  size_t size = text.size();
  if (sqfs_readlink(&parts_->fs, &inode, text.data(), &size) != SQFS_OK) {
    return EIO;
  }
  *target = text.c_str();
  return 0;
}

int SquashfsTree::Read(Node file, uint64_t offset, size_t* size, char* bytes) {
  sqfs_inode inode{};
  if (const int error = parts_->Get(file, S_IFREG, EINVAL, &inode)) {
    return error;
  }
  auto wanted = static_cast<sqfs_off_t>(*size);
  *size = 0;
  if (offset >= inode.xtra.reg.file_size) return 0;
  if (sqfs_read_range(&parts_->fs, &inode, static_cast<sqfs_off_t>(offset),
                      &wanted, bytes) != SQFS_OK) {
    return EIO;
  }
  *size = static_cast<size_t>(wanted);
  return 0;
}

int SquashfsTree::List(Node directory, uint64_t offset,
                       const std::function<bool(const Name&)>& take) {
  sqfs_inode inode{};
  if (const int error = parts_->Get(directory, S_IFDIR, ENOTDIR, &inode)) {
    return error;
  }
  if (offset < 1 && !take({".", inode.base.inode_number, S_IFDIR, 1})) return 0;
  if (offset < kFirstName &&
      !take({"..", inode.xtra.dir.parent_inode, S_IFDIR, kFirstName})) {
    return 0;
  }
  sqfs_dir dir;
  const uint64_t start = offset < kFirstName ? 0 : offset - kFirstName;
  if (sqfs_dir_open(&parts_->fs, &inode, &dir, static_cast<off_t>(start)) !=
      SQFS_OK) {
    return EIO;
  }
  sqfs_name buffer;
  sqfs_dir_entry entry;
  sqfs_dentry_init(&entry, buffer);
  sqfs_err error = SQFS_OK;
  while (sqfs_dir_next(&parts_->fs, &dir, &entry, &error)) {
    const auto next = static_cast<uint64_t>(sqfs_dentry_next_offset(&entry));
    if (!take({{sqfs_dentry_name(&entry), sqfs_dentry_name_size(&entry)},
               sqfs_dentry_inode_num(&entry),
               sqfs_dentry_mode(&entry) & S_IFMT,
               next + kFirstName})) {
      return 0;
    }
  }
  return error == SQFS_OK ? 0 : EIO;
}

uint64_t SquashfsTree::bytes_used() const { return parts_->fs.sb.bytes_used; }

}  // namespace carme::mount
