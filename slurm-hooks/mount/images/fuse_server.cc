#include "slurm-hooks/mount/images/fuse_server.h"

#include <limits.h>
#include <linux/fuse.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

namespace carme::mount {
namespace {

// The file system never changes.
constexpr uint64_t kValidSeconds = 24 * 3600;
// The protocol version of the responses; the kernel uses the lower one.
constexpr uint32_t kMinor = 31;
// The kernel requires a buffer for 8 KiB writes.
constexpr size_t kQuestionBytes = 64 << 10;
constexpr uint32_t kMaxWriteBytes = 4096;
constexpr uint16_t kMaxPages = 256;
constexpr size_t kMaxAnswerBytes = 1 << 20;
// OPEN and OPENDIR return ENOSYS, so that the kernel stops sending them, and so
// do extended attributes: those of an image must not reach the overlay.
constexpr uint32_t kAbilities = FUSE_ASYNC_READ | FUSE_PARALLEL_DIROPS |
                                FUSE_CACHE_SYMLINKS | FUSE_NO_OPEN_SUPPORT |
                                FUSE_NO_OPENDIR_SUPPORT | FUSE_MAX_PAGES;

class Desk {
 public:
  Desk(int fuse, SquashfsTree* tree, FuseWatchdog::Turns* turns)
      : fuse_(fuse),
        tree_(*tree),
        turns_(*turns),
        question_(kQuestionBytes),
        answer_(sizeof(fuse_out_header) + kMaxAnswerBytes) {}

  // false: end of requests
  bool AnswerOne() {
    const ssize_t got = read(fuse_, question_.data(), question_.size());
    // ENOENT: the request was interrupted
    if (got < 0) return errno == EINTR || errno == EAGAIN || errno == ENOENT;
    if (static_cast<size_t>(got) < sizeof head_) return false;
    std::memcpy(&head_, question_.data(), sizeof head_);
    body_ = std::string_view(question_.data(), static_cast<size_t>(got))
                .substr(sizeof head_);
    size_ = 0;
    switch (head_.opcode) {
      case FUSE_FORGET:
      case FUSE_BATCH_FORGET:
      case FUSE_INTERRUPT:
        return true;  // requests without a response
      default:
        ++turns_;
        Send(Act());
        ++turns_;
        return true;
    }
  }

 private:
  int Act() {
    switch (head_.opcode) {
      case FUSE_INIT:
        return Begin();
      case FUSE_LOOKUP:
        return LookUp();
      case FUSE_GETATTR:
        return GetAttributes();
      case FUSE_READLINK:
        return ReadLink();
      case FUSE_READ:
        return Read();
      case FUSE_READDIR:
        return ReadDirectory();
      case FUSE_STATFS:
        return Statfs();
      default:
        return ENOSYS;
    }
  }

  char* payload() { return answer_.data() + sizeof(fuse_out_header); }

  template <typename Type>
  bool Take(Type* value) const {
    if (body_.size() < sizeof *value) return false;
    std::memcpy(value, body_.data(), sizeof *value);
    return true;
  }

  template <typename Type>
  int Put(const Type& value) {
    std::memcpy(payload(), &value, sizeof value);
    size_ = sizeof value;
    return 0;
  }

  void Send(int error) {
    fuse_out_header out{};
    if (error != 0) size_ = 0;
    out.error = -error;
    out.unique = head_.unique;
    out.len = static_cast<uint32_t>(sizeof out + size_);
    std::memcpy(answer_.data(), &out, sizeof out);
    // fails if the request was cancelled
    [[maybe_unused]] const ssize_t put = write(fuse_, answer_.data(), out.len);
  }

  int Begin() {
    // fields after these depend on the kernel version
    uint32_t wanted[4];
    if (!Take(&wanted)) return EPROTO;
    const auto [major, minor, read_ahead, flags] = wanted;
    fuse_init_out out{};
    out.major = FUSE_KERNEL_VERSION;
    if (major < FUSE_KERNEL_VERSION) return EPROTO;
    // a newer kernel repeats the request with this version
    if (major > FUSE_KERNEL_VERSION) return Put(out);
    out.minor = std::min(minor, kMinor);
    if (out.minor < kMinor) return EPROTO;
    out.max_readahead = read_ahead;
    out.flags = flags & kAbilities;
    out.max_write = kMaxWriteBytes;
    out.max_pages = kMaxPages;
    out.time_gran = 1;
    return Put(out);
  }

  int Attributes(SquashfsTree::Node node, fuse_attr* attributes) {
    struct stat facts {};
    if (const int error = tree_.Stat(node, &facts)) return error;
    *attributes = {};
    attributes->ino = facts.st_ino;
    attributes->size = static_cast<uint64_t>(facts.st_size);
    attributes->blocks = (attributes->size + 511) / 512;
    attributes->atime = attributes->mtime = attributes->ctime =
        static_cast<uint64_t>(facts.st_mtime);
    attributes->mode = facts.st_mode;
    attributes->nlink = static_cast<uint32_t>(facts.st_nlink);
    attributes->uid = facts.st_uid;
    attributes->gid = facts.st_gid;
    attributes->rdev =
        static_cast<uint32_t>(minor(facts.st_rdev) & 0xff) |
        static_cast<uint32_t>(major(facts.st_rdev) << 8) |
        static_cast<uint32_t>((minor(facts.st_rdev) & ~0xffU) << 12);
    attributes->blksize = 4096;
    return 0;
  }

  int LookUp() {
    const size_t end = body_.find('\0');
    if (end == std::string_view::npos) return EINVAL;
    fuse_entry_out out{};
    out.entry_valid = out.attr_valid = kValidSeconds;
    const int error =
        tree_.Find(head_.nodeid, body_.substr(0, end), &out.nodeid);
    // negative entries are cached, too
    if (error == ENOENT) {
      out.nodeid = 0;
      return Put(out);
    }
    if (error != 0) return error;
    if (const int odd = Attributes(out.nodeid, &out.attr)) return odd;
    return Put(out);
  }

  int GetAttributes() {
    fuse_attr_out out{};
    out.attr_valid = kValidSeconds;
    if (const int error = Attributes(head_.nodeid, &out.attr)) return error;
    return Put(out);
  }

  int ReadLink() {
    std::string target;
    if (const int error = tree_.ReadLink(head_.nodeid, &target)) return error;
    std::memcpy(payload(), target.data(), target.size());
    size_ = target.size();
    return 0;
  }

  int Read() {
    fuse_read_in in{};
    if (!Take(&in) || in.size > kMaxAnswerBytes) return EINVAL;
    size_ = in.size;
    return tree_.Read(head_.nodeid, in.offset, &size_, payload());
  }

  int ReadDirectory() {
    fuse_read_in in{};
    if (!Take(&in) || in.size > kMaxAnswerBytes) return EINVAL;
    return tree_.List(
        head_.nodeid, in.offset, [&](const SquashfsTree::Name& name) {
          const size_t bytes =
              FUSE_DIRENT_ALIGN(FUSE_NAME_OFFSET + name.name.size());
          if (size_ + bytes > in.size) return false;
          fuse_dirent entry{};
          entry.ino = name.number;
          entry.off = name.next;
          entry.namelen = static_cast<uint32_t>(name.name.size());
          entry.type = name.kind >> 12;
          char* const at = payload() + size_;
          std::memset(at, 0, bytes);
          std::memcpy(at, &entry, FUSE_NAME_OFFSET);
          std::memcpy(at + FUSE_NAME_OFFSET, name.name.data(),
                      name.name.size());
          size_ += bytes;
          return true;
        });
  }

  int Statfs() {
    fuse_statfs_out out{};
    out.st.bsize = out.st.frsize = 4096;
    out.st.blocks = tree_.bytes_used() / 4096;
    out.st.namelen = NAME_MAX;
    return Put(out);
  }

  const int fuse_;
  SquashfsTree& tree_;
  FuseWatchdog::Turns& turns_;
  std::vector<char> question_;
  std::vector<char> answer_;
  fuse_in_header head_ = {};
  std::string_view body_;
  size_t size_ = 0;  // of the answer's payload
};

}  // namespace

void ServeFuse(int fuse, SquashfsTree* tree, FuseWatchdog::Turns* turns) {
  Desk desk(fuse, tree, turns);
  while (desk.AnswerOne()) {
  }
}

}  // namespace carme::mount
