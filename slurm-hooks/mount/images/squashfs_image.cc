#include "slurm-hooks/mount/images/squashfs_image.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>

#include "common/status.h"
#include "slurm-hooks/mount/images/messages.h"

namespace carme::mount {
namespace {

// SIF, version 1: little endian, packed.
constexpr size_t kHeaderBytes = 128;
constexpr size_t kMagicAt = 32;
constexpr size_t kTotalAt = 88;
constexpr size_t kDescriptorsAt = 96;
constexpr size_t kDescriptorBytes = 585;
constexpr int64_t kMaxDescriptors = 1024;  // Apptainer writes 48
// Of a descriptor.
constexpr size_t kUsedAt = 4;
constexpr size_t kOffsetAt = 17;
constexpr size_t kLengthAt = 25;
constexpr size_t kFileSystemAt = 201;
constexpr size_t kPartitionAt = 205;
constexpr int64_t kPartition = 0x4004;
constexpr int64_t kSquashfs = 1;
constexpr int64_t kEncryptedSquashfs = 5;
constexpr int64_t kPrimary = 2;

// Of a squashfs superblock, version 4.
constexpr size_t kSuperblockBytes = 96;
constexpr size_t kMajorAt = 28;
constexpr size_t kBytesUsedAt = 40;

int64_t Number(std::string_view bytes, size_t at, size_t width) {
  uint64_t number = 0;
  for (size_t i = width; i > 0; --i) {
    number = number << 8 | static_cast<unsigned char>(bytes[at + i - 1]);
  }
  return static_cast<int64_t>(number);
}

// What there is of it, up to the file's end.
absl::StatusOr<std::string> ReadAt(int fd, uint64_t offset, size_t size) {
  std::string bytes(size, '\0');
  size_t got = 0;
  while (got < size) {
    const ssize_t more = pread(fd, bytes.data() + got, size - got,
                               static_cast<off_t>(offset + got));
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return ErrnoError(errno, "read it");
    if (more == 0) break;
    got += static_cast<size_t>(more);
  }
  bytes.resize(got);
  return bytes;
}

absl::StatusOr<SquashfsExtent> CheckSuperblock(int fd, SquashfsExtent extent) {
  ASSIGN_OR_RETURN(const std::string block,
                   ReadAt(fd, extent.offset, kSuperblockBytes));
  if (extent.size < kSuperblockBytes || block.size() < kSuperblockBytes ||
      !block.starts_with("hsqs")) {
    return MakePlainError(mount_image_messages::kNotAnImage);
  }
  if (Number(block, kMajorAt, 2) != 4) {
    return MakePlainError(mount_image_messages::kSquashfsVersion);
  }
  const int64_t used = Number(block, kBytesUsedAt, 8);
  if (used < 0 || static_cast<uint64_t>(used) > extent.size) {
    return MakePlainError(mount_image_messages::kImageCut);
  }
  return extent;
}

bool IsPrimary(std::string_view descriptor) {
  return Number(descriptor, 0, 4) == kPartition && descriptor[kUsedAt] != 0 &&
         Number(descriptor, kPartitionAt, 4) == kPrimary;
}

absl::StatusOr<SquashfsExtent> ExtentOf(std::string_view descriptor,
                                        int64_t file_size) {
  const int64_t kind = Number(descriptor, kFileSystemAt, 4);
  if (kind == kEncryptedSquashfs) {
    return MakePlainError(mount_image_messages::kEncrypted);
  }
  if (kind != kSquashfs) {
    return MakePlainError(mount_image_messages::kNotSquashfs);
  }
  const int64_t offset = Number(descriptor, kOffsetAt, 8);
  const int64_t length = Number(descriptor, kLengthAt, 8);
  if (offset < 0 || length < 0 || offset > file_size ||
      length > file_size - offset) {
    return MakePlainError(mount_image_messages::kPartitionTooLong);
  }
  return SquashfsExtent{static_cast<uint64_t>(offset),
                        static_cast<uint64_t>(length)};
}

absl::StatusOr<SquashfsExtent> FindInSif(int fd, std::string_view header,
                                         int64_t file_size) {
  const int64_t total = Number(header, kTotalAt, 8);
  const int64_t start = Number(header, kDescriptorsAt, 8);
  if (total < 0 || total > kMaxDescriptors || start < 0 || start > file_size) {
    return MakePlainError(mount_image_messages::kContentsInvalid);
  }
  ASSIGN_OR_RETURN(const std::string table,
                   ReadAt(fd, static_cast<uint64_t>(start),
                          static_cast<size_t>(total) * kDescriptorBytes));
  for (size_t at = 0; at + kDescriptorBytes <= table.size();
       at += kDescriptorBytes) {
    const std::string_view descriptor =
        std::string_view(table).substr(at, kDescriptorBytes);
    if (IsPrimary(descriptor)) return ExtentOf(descriptor, file_size);
  }
  return MakePlainError(mount_image_messages::kNoPrimaryPartition);
}

}  // namespace

absl::StatusOr<SquashfsExtent> FindSquashfs(int fd) {
  struct stat info {};
  if (fstat(fd, &info) != 0) return ErrnoError(errno, "stat it");
  if (!S_ISREG(info.st_mode)) {
    return MakePlainError(mount_image_messages::kNotAFile);
  }
  ASSIGN_OR_RETURN(const std::string header, ReadAt(fd, 0, kHeaderBytes));
  SquashfsExtent extent{0, static_cast<uint64_t>(info.st_size)};
  if (header.size() == kHeaderBytes &&
      std::string_view(header).substr(kMagicAt).starts_with("SIF_MAGIC")) {
    ASSIGN_OR_RETURN(extent, FindInSif(fd, header, info.st_size));
  }
  return CheckSuperblock(fd, extent);
}

}  // namespace carme::mount
