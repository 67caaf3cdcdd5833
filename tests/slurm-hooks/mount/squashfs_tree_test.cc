// Images that mksquashfs made.
#include "slurm-hooks/mount/images/squashfs_tree.h"

#include <fcntl.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdlib>
#include <set>
#include <string>

#include "common/file.h"
#include "common/unique_fd.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::mount {
namespace {

class Image {
 public:
  explicit Image(const std::string& make) {
    const std::string path = directory_.File("image");
    const std::string line = "cd " + directory_.File("") +
                             " && mkdir t && cd t && " + make +
                             " && cd .. && mksquashfs t " + path +
                             " -quiet -no-progress > /dev/null";
    REQUIRE(std::system(line.c_str()) == 0);
    fd_ = UniqueFd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    const auto extent = FindSquashfs(fd_.get());
    REQUIRE_THAT(extent, IsOk());
    auto tree = SquashfsTree::Open(fd_.get(), *extent);
    REQUIRE_THAT(tree, IsOk());
    tree_ = std::move(*tree);
  }
  SquashfsTree* operator->() { return tree_.get(); }

  SquashfsTree::Node At(const std::string& name) {
    SquashfsTree::Node node = 0;
    REQUIRE(tree_->Find(SquashfsTree::kTop, name, &node) == 0);
    return node;
  }

 private:
  TempDir directory_;
  UniqueFd fd_;
  std::unique_ptr<SquashfsTree> tree_;
};

TEST_CASE("squashfs: a question for another kind of file is refused", "[edf]") {
  Image image("echo text > file && ln -s file link && mkdir folder");
  const auto take = [](const SquashfsTree::Name&) { return true; };
  SquashfsTree::Node node = 0;
  std::string target;
  char bytes[8];
  size_t size = sizeof bytes;
  CHECK(image->Find(image.At("file"), "a", &node) == ENOTDIR);
  CHECK(image->Find(SquashfsTree::kTop, "none", &node) == ENOENT);
  CHECK(image->Find(SquashfsTree::kTop, std::string(257, 'a'), &node) ==
        ENAMETOOLONG);
  CHECK(image->List(image.At("link"), 0, take) == ENOTDIR);
  CHECK(image->ReadLink(image.At("file"), &target) == EINVAL);
  CHECK(image->Read(image.At("folder"), 0, &size, bytes) == EINVAL);
  struct stat facts {};
  CHECK(image->Stat(0xffffffffffff, &facts) != 0);
}

TEST_CASE("squashfs: reads files unchanged", "[edf]") {
  Image image("printf 0123456789 > file && chmod 640 file && ln -s a/b link");
  char bytes[8];
  size_t size = sizeof bytes;
  REQUIRE(image->Read(image.At("file"), 4, &size, bytes) == 0);
  CHECK(std::string(bytes, size) == "456789");
  for (const uint64_t offset : {10UL, 11UL, ~0UL}) {
    size = sizeof bytes;
    REQUIRE(image->Read(image.At("file"), offset, &size, bytes) == 0);
    CHECK(size == 0);
  }
  struct stat facts {};
  REQUIRE(image->Stat(image.At("file"), &facts) == 0);
  CHECK(facts.st_size == 10);
  CHECK(facts.st_mode == (S_IFREG | 0640));
  std::string target;
  REQUIRE(image->ReadLink(image.At("link"), &target) == 0);
  CHECK(target == "a/b");
}

TEST_CASE("squashfs: a listing continues where it stopped", "[edf]") {
  Image image("for i in 1 2 3 4 5 6 7 8 9; do : > $i; done");
  std::multiset<std::string> names;
  uint64_t offset = 0;
  for (bool more = true; more;) {
    more = false;
    // one at a time
    REQUIRE(image->List(SquashfsTree::kTop, offset,
                        [&](const SquashfsTree::Name& name) {
                          if (more) return false;
                          more = true;
                          names.emplace(name.name);
                          offset = name.next;
                          return true;
                        }) == 0);
  }
  CHECK(names == std::multiset<std::string>{".", "..", "1", "2", "3", "4", "5",
                                            "6", "7", "8", "9"});
}

}  // namespace
}  // namespace carme::mount
