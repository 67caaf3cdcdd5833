// Images made byte by byte, as their formats say.
#include "slurm-hooks/mount/images/squashfs_image.h"

#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <initializer_list>
#include <string>

#include "common/unique_fd.h"
#include "tests/support/status_matchers.h"

namespace carme::mount {
namespace {

void Put(std::string* bytes, size_t at, uint64_t number, size_t width) {
  for (size_t i = 0; i < width; ++i, number >>= 8) {
    (*bytes)[at + i] = static_cast<char>(number & 0xff);
  }
}

std::string Squashfs(uint64_t bytes_used = 4096) {
  std::string bytes(4096, '\0');
  bytes.replace(0, 4, "hsqs");
  Put(&bytes, 28, 4, 2);
  Put(&bytes, 40, bytes_used, 8);
  return bytes;
}

struct Partition {
  uint64_t offset = 8192;
  uint64_t length = 4096;
  uint32_t file_system = 1;
  uint32_t kind = 2;
  uint32_t type = 0x4004;
  char used = 1;
};

// A label first, then the partition, then where it should be.
std::string Sif(const Partition& partition, uint64_t descriptors = 48,
                uint64_t start = 4096) {
  std::string bytes(8192, '\0');
  bytes.replace(32, 9, "SIF_MAGIC");
  Put(&bytes, 88, descriptors, 8);
  Put(&bytes, 96, start, 8);
  Put(&bytes, 4096, 0x4003, 4);
  bytes[4096 + 4] = 1;
  const size_t at = 4096 + 585;
  Put(&bytes, at, partition.type, 4);
  bytes[at + 4] = partition.used;
  Put(&bytes, at + 17, partition.offset, 8);
  Put(&bytes, at + 25, partition.length, 8);
  Put(&bytes, at + 201, partition.file_system, 4);
  Put(&bytes, at + 205, partition.kind, 4);
  return bytes + Squashfs();
}

absl::StatusOr<SquashfsExtent> Find(const std::string& bytes) {
  const UniqueFd fd(memfd_create("image", MFD_CLOEXEC));
  REQUIRE(write(fd.get(), bytes.data(), bytes.size()) ==
          static_cast<ssize_t>(bytes.size()));
  return FindSquashfs(fd.get());
}

TEST_CASE("image file: refuses other formats than SquashFS and SIF", "[edf]") {
  for (const std::string& bytes :
       {std::string(), std::string("hsqs"), std::string(4096, 'x'),
        Squashfs().substr(0, 95), Squashfs(4097), Squashfs(~0UL)}) {
    CHECK(absl::IsInvalidArgument(Find(bytes).status()));
  }
  std::string old = Squashfs();
  Put(&old, 28, 3, 2);
  CHECK(Find(old).status().message() == "expected a squashfs of version 4");
}

TEST_CASE("image file: refuses a SIF without its partition", "[edf]") {
  for (const Partition& partition :
       {Partition{.offset = 12289}, Partition{.length = 4097},
        Partition{.offset = ~0UL}, Partition{.length = ~0UL},
        Partition{.offset = 1UL << 63}, Partition{.file_system = 2},
        Partition{.kind = 3}, Partition{.type = 0x4003}, Partition{.used = 0},
        Partition{.offset = 100}, Partition{.length = 95}}) {
    CHECK(absl::IsInvalidArgument(Find(Sif(partition)).status()));
  }
  CHECK(Find(Sif({.file_system = 5})).status().message() == "it is encrypted");
  for (const uint64_t odd :
       std::initializer_list<uint64_t>{1, 1025, ~0UL, 1UL << 63}) {
    CHECK_FALSE(Find(Sif({}, odd)).ok());
  }
  for (const uint64_t odd : std::initializer_list<uint64_t>{1UL << 40, ~0UL}) {
    CHECK_FALSE(Find(Sif({}, 48, odd)).ok());
  }
}

TEST_CASE("image file: finds the squashfs", "[edf]") {
  const auto plain = Find(Squashfs());
  REQUIRE_THAT(plain, IsOk());
  CHECK(plain->offset == 0);
  CHECK(plain->size == 4096);
  const auto sif = Find(Sif({}));
  INFO(sif.status().message());
  REQUIRE_THAT(sif, IsOk());
  CHECK(sif->offset == 8192);
  CHECK(sif->size == 4096);
}

}  // namespace
}  // namespace carme::mount
