#include "slurm-hooks/cli/image_store.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "common/name_rules.h"
#include "common/status.h"
#include "slurm-hooks/cli/messages.h"

namespace carme {
namespace {

namespace fs = std::filesystem;

constexpr size_t kDigestDigits = 64;
constexpr size_t kMinPrefixDigits = 12;

bool IsHex(absl::string_view text) {
  return kLowercaseHex.ContainsAll({text.data(), text.size()});
}

// Parses "sha256-DIGEST.sqsh".
std::optional<std::string> DigestOfFile(absl::string_view file) {
  if (!absl::ConsumePrefix(&file, "sha256-") ||
      !absl::ConsumeSuffix(&file, ".sqsh") ||
      !kSha256HexRule.Allows(std::string(file))) {
    return std::nullopt;
  }
  return std::string(file);
}

// Resolves a link in the directory; nullopt if it leads to no image of this
// directory.
std::optional<std::string> DigestOfLink(const fs::path& link) {
  std::error_code error;
  const fs::path target = fs::read_symlink(link, error);
  if (error || target.has_parent_path()) return std::nullopt;
  return DigestOfFile(target.native());
}

std::string NameOfLink(const std::string& link) {
  return absl::StrReplaceAll(link, {{"+", "/"}});
}

absl::Status Unlink(const std::string& path) {
  if (unlink(path.c_str()) == 0 || errno == ENOENT) return absl::OkStatus();
  return ErrnoError(errno, absl::StrCat("remove \"", path, "\""));
}

}  // namespace

absl::StatusOr<ImageStore> ImageStore::OfProcess() {
  const std::pair<const char*, const char*> places[] = {
      {"EDF_IMAGESTORE", ""},
      {"SCRATCH", "/.edf_imagestore"},
      {"HOME", "/.edf_imagestore"}};
  for (const auto& [variable, below] : places) {
    const char* const value = getenv(variable);
    if (value != nullptr && value[0] == '/') {
      return ImageStore(absl::StrCat(value, below));
    }
  }
  return MakePlainError(cli_messages::kNoImageFolder);
}

std::string ImageStore::PathOf(const std::string& digest) const {
  return absl::StrCat(folder_, "/sha256-", digest, ".sqsh");
}

std::string ImageStore::LinkOf(const EdfImage& image) const {
  EdfImage named = image;
  named.user.clear();
  if (named.tag.empty() && named.digest.empty()) named.tag = "latest";
  return absl::StrCat(folder_, "/",
                      absl::StrReplaceAll(ImageText(named), {{"/", "+"}}));
}

std::optional<std::string> ImageStore::Find(const EdfImage& image) const {
  char real[PATH_MAX];
  if (realpath(LinkOf(image).c_str(), real) == nullptr ||
      access(real, R_OK) != 0) {
    return std::nullopt;
  }
  return real;
}

absl::StatusOr<std::vector<StoredImage>> ImageStore::List() const {
  std::vector<StoredImage> images;
  std::set<std::string> named;
  std::error_code error;
  fs::directory_iterator entry(folder_, error), end;
  if (error == std::errc::no_such_file_or_directory) return images;
  for (; !error && entry != end; entry.increment(error)) {
    const std::string file = entry->path().filename();
    StoredImage image;
    std::optional<std::string> digest = DigestOfFile(file);
    if (!digest && !file.ends_with(".new")) {
      digest = DigestOfLink(entry->path());
      image.name = NameOfLink(file);
    }
    struct stat info {};
    if (!digest || stat(entry->path().c_str(), &info) != 0) continue;
    if (!image.name.empty()) named.insert(*digest);
    image.digest = *digest;
    image.bytes = static_cast<uint64_t>(info.st_size);
    image.pulled = info.st_mtime;
    images.push_back(std::move(image));
  }
  if (error) {
    return ErrnoError(error.value(), absl::StrCat("read \"", folder_, "\""));
  }
  std::erase_if(images, [&](const StoredImage& image) {
    return image.name.empty() && named.count(image.digest) > 0;
  });
  std::sort(images.begin(), images.end(), [](const auto& a, const auto& b) {
    return std::tie(a.name, a.digest) < std::tie(b.name, b.digest);
  });
  return images;
}

absl::StatusOr<uint64_t> ImageStore::Remove(const std::string& which) const {
  struct stat folder {};
  if (stat(folder_.c_str(), &folder) != 0) {
    return MakePlainError(cli_messages::kNoImage, {{"image", which}});
  }
  ASSIGN_OR_RETURN(const UniqueFd lock, Lock());
  ASSIGN_OR_RETURN(const std::vector<StoredImage> images, List());
  absl::string_view digest = which;
  const bool by_digest = absl::ConsumePrefix(&digest, "sha256:");
  if (by_digest && (digest.size() < kMinPrefixDigits || !IsHex(digest))) {
    return MakePlainError(cli_messages::kDigestTooShort,
                          {{"image", which}, {"digits", kMinPrefixDigits}});
  }
  std::string name = which;
  if (!by_digest) {
    EdfProblems problems;
    const auto image = ParseImage({which, {}, "IMAGE"}, "/", &problems);
    RETURN_IF_ERROR(problems.status());
    if (image->kind != EdfImage::Kind::kRegistry) {
      return MakePlainError(cli_messages::kNotAnImage, {{"image", which}});
    }
    name = NameOfLink(fs::path(LinkOf(*image)).filename());
  }
  std::set<std::string> found;  // digests
  std::vector<std::string> links;
  for (const StoredImage& image : images) {
    if (by_digest ? !image.digest.starts_with(std::string(digest))
                  : image.name != name) {
      continue;
    }
    found.insert(image.digest);
    if (!image.name.empty()) {
      links.push_back(absl::StrCat(
          folder_, "/", absl::StrReplaceAll(image.name, {{"/", "+"}})));
    }
  }
  if (found.empty()) {
    return MakePlainError(cli_messages::kNoImage, {{"image", which}});
  }
  if (found.size() > 1) {
    return MakePlainError(cli_messages::kDigestAmbiguous,
                          {{"image", which}, {"digests", found.size()}});
  }
  for (const std::string& link : links) RETURN_IF_ERROR(Unlink(link));
  uint64_t bytes = 0;
  ASSIGN_OR_RETURN(const std::vector<StoredImage> left, List());
  for (const StoredImage& image : left) {
    if (image.digest != *found.begin()) continue;
    if (!image.name.empty()) return 0;
    bytes = image.bytes;
  }
  RETURN_IF_ERROR(Unlink(PathOf(*found.begin())));
  return bytes;
}

absl::StatusOr<UniqueFd> ImageStore::Lock() const {
  std::error_code error;
  fs::create_directories(folder_, error);
  UniqueFd lock(open(absl::StrCat(folder_, "/.lock").c_str(),
                     O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!lock.valid()) {
    return ErrnoError(errno, absl::StrCat("write to \"", folder_, "\""));
  }
  while (flock(lock.get(), LOCK_EX) != 0) {
    if (errno != EINTR) return ErrnoError(errno, "lock the store");
  }
  return lock;
}

}  // namespace carme
