#include "slurm-hooks/cli/image_pull.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "common/name_rules.h"
#include "common/status.h"
#include "common/unique_fd.h"
#include "slurm-hooks/child_process/child_process.h"
#include "slurm-hooks/cli/messages.h"

namespace carme {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxOutputBytes = 1 << 20;
constexpr char kSha256[] = "sha256:";

std::string Text(int fd) {
  std::string text;
  char buffer[16384];
  ssize_t got = 0;
  while ((got = read(fd, buffer, sizeof buffer)) > 0) {
    // read and drop the rest, so that the writer can exit
    if (text.size() < kMaxOutputBytes) {
      text.append(buffer, static_cast<size_t>(got));
    }
  }
  return text;
}

// Returns the output of the program, which has the caller's variables and
// stderr.
absl::StatusOr<std::string> Run(const std::vector<std::string>& arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return ErrnoError(errno, "make a pipe");
  const UniqueFd from(ends[0]);
  UniqueFd to(ends[1]);
  node::Launch launch;
  launch.arguments = arguments;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    launch.environment.push_back(*variable);
  }
  launch.output = to.get();
  ASSIGN_OR_RETURN(const node::ChildProcess child,
                   node::ChildProcess::Start(launch));
  to.reset();
  std::string text = Text(from.get());
  int status = 0;
  while (waitpid(child.pid(), &status, 0) < 0) {
    if (errno != EINTR) return ErrnoError(errno, "wait for a program");
  }
  if (node::EndOf(status).exit_code == 0) return text;
  return MakePlainError(cli_messages::kPullFailed,
                        {{"command", absl::StrJoin(arguments.begin(),
                                                   arguments.begin() + 2, " ")},
                         {"exit_code", node::EndOf(status).exit_code}});
}

// The name for skopeo without the tag; short names are in Docker Hub's
// "library".
std::string Repository(const EdfImage& image) {
  const bool hub = image.registry.empty();
  const bool in_library = hub && image.name.find('/') == std::string::npos;
  return absl::StrCat("docker://", hub ? "docker.io" : image.registry, "/",
                      in_library ? "library/" : "", image.name);
}

absl::StatusOr<std::string> DigestOf(const EdfImage& image) {
  if (!image.digest.empty()) return image.digest;
  ASSIGN_OR_RETURN(
      const std::string text,
      Run({"skopeo", "inspect", "--no-tags", "--format", "{{.Digest}}",
           absl::StrCat(Repository(image), ":",
                        image.tag.empty() ? "latest" : image.tag)}));
  absl::string_view digest = absl::StripAsciiWhitespace(text);
  const bool has_prefix = absl::ConsumePrefix(&digest, kSha256);
  std::string digits(digest);
  if (!has_prefix || !kSha256HexRule.Allows(digits)) {
    return absl::InternalError("the registry names no digest of the image");
  }
  return digits;
}

// Writes to /FOLDER/NAME of the image. Follows no links: they may lead to the
// user's own files. `how`: O_APPEND or O_TRUNC.
absl::Status WriteInImage(const std::string& root, const char* folder,
                          const char* name, int how, const std::string& text) {
  const std::string what = absl::StrCat("the image's /", folder, "/", name);
  const UniqueFd top(open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  mkdirat(top.get(), folder, 0755);
  const UniqueFd parent(
      openat(top.get(), folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  const UniqueFd file(openat(
      parent.get(), name,
      O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | how, 0644));
  struct stat info {};
  if (!file.valid() || fstat(file.get(), &info) != 0) {
    return ErrnoError(errno, absl::StrCat("open ", what));
  }
  if (!S_ISREG(info.st_mode)) {
    return MakePlainError(cli_messages::kNotAFile, {{"subject", what}});
  }
  if (write(file.get(), text.data(), text.size()) !=
      static_cast<ssize_t>(text.size())) {
    return ErrnoError(errno, absl::StrCat("write ", what));
  }
  return absl::OkStatus();
}

// Returns a part of the image's configuration, selected by a Go template.
absl::StatusOr<std::string> Configured(const std::string& oci,
                                       const std::string& part) {
  return Run({"skopeo", "inspect", "--config", "--format", part,
              absl::StrCat("oci:", oci)});
}

// Unpacks in `work`, a directory of the caller. The user owns all files, so
// that the environment's layer is writable everywhere.
absl::Status Make(const EdfImage& image, const std::string& digest,
                  const std::string& work, const std::string& file) {
  const std::string oci = absl::StrCat(work, "/oci:image");
  const std::string bundle = absl::StrCat(work, "/bundle");
  RETURN_IF_ERROR(Run({"skopeo", "copy", "--quiet",
                       absl::StrCat(Repository(image), "@", kSha256, digest),
                       absl::StrCat("oci:", oci)})
                      .status());
  RETURN_IF_ERROR(
      Run({"umoci", "unpack", "--rootless", "--image", oci, bundle}).status());
  ASSIGN_OR_RETURN(
      const std::string variables,
      Configured(oci, "{{range .Config.Env}}{{println .}}{{end}}"));
  ASSIGN_OR_RETURN(const std::string workdir,
                   Configured(oci, "{{.Config.WorkingDir}}"));
  // where nodes look for them
  const std::string root = absl::StrCat(bundle, "/rootfs");
  RETURN_IF_ERROR(WriteInImage(root, "etc", "environment", O_APPEND,
                               absl::StrCat("\n", variables)));
  RETURN_IF_ERROR(WriteInImage(root, ".carme", "workdir", O_TRUNC, workdir));
  return Run({"mksquashfs", root, file, "-noappend", "-quiet", "-no-progress",
              "-no-xattrs", "-comp", "zstd", "-force-uid",
              absl::StrCat(getuid()), "-force-gid", absl::StrCat(getgid())})
      .status();
}

// Removes leftovers of pulls that died. Directories of an image may be closed
// to their owner.
void Remove(const fs::path& work) {
  std::error_code error;
  for (fs::recursive_directory_iterator
           entry(work, fs::directory_options::skip_permission_denied, error),
       end;
       !error && entry != end; entry.increment(error)) {
    if (entry->is_symlink(error) || !entry->is_directory(error)) continue;
    fs::permissions(entry->path(), fs::perms::owner_all, fs::perm_options::add,
                    error);
  }
  fs::remove_all(work, error);
}

absl::Status Link(const std::string& file, const std::string& link) {
  const std::string fresh = absl::StrCat(link, ".new");
  unlink(fresh.c_str());
  if (symlink(fs::path(file).filename().c_str(), fresh.c_str()) != 0 ||
      rename(fresh.c_str(), link.c_str()) != 0) {
    return ErrnoError(errno, absl::StrCat("make \"", link, "\""));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> PullImage(const EdfImage& image,
                                      const ImageStore& store) {
  if (image.kind != EdfImage::Kind::kRegistry) {
    return MakePlainError(cli_messages::kNotInARegistry,
                          {{"image", ImageText(image)}});
  }
  ASSIGN_OR_RETURN(const UniqueFd lock, store.Lock());
  const std::string work = absl::StrCat(store.folder(), "/.pull");
  Remove(work);
  ASSIGN_OR_RETURN(const std::string digest, DigestOf(image));
  const std::string file = store.PathOf(digest);
  if (access(file.c_str(), R_OK) != 0) {
    if (mkdir(work.c_str(), 0700) != 0) {
      return ErrnoError(errno, absl::StrCat("make \"", work, "\""));
    }
    const std::string made = absl::StrCat(work, "/image.sqsh");
    absl::Status status = Make(image, digest, work, made);
    if (status.ok() && rename(made.c_str(), file.c_str()) != 0) {
      status = ErrnoError(errno, absl::StrCat("make \"", file, "\""));
    }
    Remove(work);
    RETURN_IF_ERROR(status);
  }
  RETURN_IF_ERROR(Link(file, store.LinkOf(image)));
  return file;
}

}  // namespace carme
