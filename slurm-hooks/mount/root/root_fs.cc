#include "slurm-hooks/mount/root/root_fs.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/edf/limits.h"
#include "common/file.h"
#include "common/name_rules.h"
#include "common/status.h"
#include "slurm-hooks/mount/root/messages.h"
#include "slurm-hooks/mount/system/mount_calls.h"

namespace carme::mount {
namespace {

constexpr uint64_t kNoRights =
    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;
constexpr size_t kMaxAccountsBytes = 256 << 10;
constexpr size_t kMaxVariablesBytes = 32 << 10;

absl::StatusOr<UniqueFd> OpenPath(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!fd.valid())
    return ErrnoError(errno, absl::StrCat("open \"", path, "\""));
  return fd;
}

absl::Status AddNew(
    const std::string& type,
    const std::vector<std::pair<std::string, std::string>>& options,
    uint64_t attributes, const std::string& path, NewRoot* root) {
  ASSIGN_OR_RETURN(const UniqueFd target, root->FindOrMake(path, true));
  ASSIGN_OR_RETURN(const UniqueFd mount,
                   NewFileSystem(type, options, attributes));
  RETURN_IF_ERROR(Attach(mount.get(), target.get()));
  return root->Close(mount.get());
}

// A path of the node's or of our own at the same or another place.
absl::Status AddOwn(const std::string& source, uint64_t attributes,
                    int target) {
  ASSIGN_OR_RETURN(const UniqueFd fd, OpenPath(source));
  ASSIGN_OR_RETURN(const UniqueFd tree, CloneTree(fd.get()));
  RETURN_IF_ERROR(SetAttributes(tree.get(), attributes, MS_PRIVATE));
  return Attach(tree.get(), target);
}

// Every directory down to it, below `dev`; the name that is left.
absl::StatusOr<UniqueFd> MakeParents(int dev, absl::string_view path,
                                     std::string* name) {
  std::vector<std::string> names = absl::StrSplit(path, '/', absl::SkipEmpty());
  UniqueFd fd(openat(dev, ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (names.empty())
    return MakePlainError(mount_root_messages::kDeviceWithoutName);
  *name = names.back();
  names.pop_back();
  for (const std::string& step : names) {
    mkdirat(fd.get(), step.c_str(), 0755);
    fd.reset(openat(fd.get(), step.c_str(),
                    O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!fd.valid()) return ErrnoError(errno, "make a directory for a device");
  }
  return fd;
}

// `path` begins behind "/dev/".
absl::Status AddDevice(int dev, absl::string_view path, int device) {
  struct stat info {};
  if (fstat(device, &info) != 0 ||
      (!S_ISCHR(info.st_mode) && !S_ISBLK(info.st_mode))) {
    return MakePlainError(mount_root_messages::kNotADevice, {{"path", path}});
  }
  std::string name;
  ASSIGN_OR_RETURN(const UniqueFd parent, MakeParents(dev, path, &name));
  const UniqueFd target(openat(parent.get(), name.c_str(),
                               O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!target.valid()) {
    return ErrnoError(errno, absl::StrCat("make \"/dev/", path, "\""));
  }
  ASSIGN_OR_RETURN(const UniqueFd tree, CloneTree(device));
  RETURN_IF_ERROR(SetAttributes(
      tree.get(), MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, MS_PRIVATE));
  return Attach(tree.get(), target.get());
}

absl::Status AddUsualDevices(int dev) {
  for (const char* name :
       {"null", "zero", "full", "random", "urandom", "tty"}) {
    const UniqueFd fd(
        open(absl::StrCat("/dev/", name).c_str(), O_PATH | O_CLOEXEC));
    if (!fd.valid() && errno == ENOENT) continue;
    if (!fd.valid()) return ErrnoError(errno, absl::StrCat("open /dev/", name));
    RETURN_IF_ERROR(AddDevice(dev, name, fd.get()));
  }
  const std::pair<const char*, const char*> links[] = {
      {"/proc/self/fd", "fd"},
      {"/proc/self/fd/0", "stdin"},
      {"/proc/self/fd/1", "stdout"},
      {"/proc/self/fd/2", "stderr"},
      {"pts/ptmx", "ptmx"}};
  for (const auto& [to, name] : links) {
    if (symlinkat(to, dev, name) != 0) return ErrnoError(errno, "make a link");
  }
  return absl::OkStatus();
}

absl::Status MakeShared(const std::string& path) {
  if (mkdir(path.c_str(), 0755) != 0 || chmod(path.c_str(), 01777) != 0) {
    return ErrnoError(errno, absl::StrCat("make \"", path, "\""));
  }
  return absl::OkStatus();
}

absl::StatusOr<UniqueFd> MakeIn(int dev, const char* name) {
  UniqueFd fd;
  if (mkdirat(dev, name, 0755) == 0) {
    fd.reset(openat(dev, name, O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  if (!fd.valid()) return ErrnoError(errno, absl::StrCat("make /dev/", name));
  return fd;
}

absl::Status AddAccounts(const std::string& lines, const char* name,
                         const std::string& scratch, NewRoot* root) {
  const std::string path = absl::StrCat("/etc/", name);
  const std::string mine = absl::StrCat(scratch, "/", name);
  RETURN_IF_ERROR(WriteFile(
      mine, absl::StrCat(lines, root->ReadFile(path, kMaxAccountsBytes)),
      0644));
  ASSIGN_OR_RETURN(const UniqueFd target, root->FindOrMake(path, false));
  return AddOwn(mine, kNoRights | MOUNT_ATTR_RDONLY, target.get());
}

}  // namespace

absl::Status AddKernelFileSystems(NewRoot* root) {
  RETURN_IF_ERROR(
      AddNew("proc", {{"hidepid", "invisible"}}, kNoRights, "/proc", root));
  return AddNew("sysfs", {}, kNoRights | MOUNT_ATTR_RDONLY, "/sys", root);
}

absl::Status AddDevices(const std::vector<PlannedDevice>& devices,
                        const std::string& scratch, NewRoot* root) {
  ASSIGN_OR_RETURN(const UniqueFd target, root->FindOrMake("/dev", true));
  ASSIGN_OR_RETURN(const UniqueFd dev,
                   NewFileSystem("tmpfs", {{"mode", "0755"}, {"size", "64k"}},
                                 MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC));
  RETURN_IF_ERROR(Attach(dev.get(), target.get()));
  RETURN_IF_ERROR(AddUsualDevices(dev.get()));
  for (const PlannedDevice& device : devices) {
    RETURN_IF_ERROR(AddDevice(
        dev.get(), absl::string_view(device.path).substr(sizeof "/dev/" - 1),
        device.device.get()));
  }
  // a terminal that Slurm made for the task is one of the node's
  ASSIGN_OR_RETURN(const UniqueFd terminals, MakeIn(dev.get(), "pts"));
  RETURN_IF_ERROR(AddOwn("/dev/pts", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC,
                         terminals.get()));
  const std::string shared = absl::StrCat(scratch, "/shm");
  RETURN_IF_ERROR(MakeShared(shared));
  ASSIGN_OR_RETURN(const UniqueFd shm, MakeIn(dev.get(), "shm"));
  RETURN_IF_ERROR(
      AddOwn(shared, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, shm.get()));
  RETURN_IF_ERROR(SetAttributesOfOne(dev.get(), MOUNT_ATTR_RDONLY));
  return root->Close(dev.get());
}

absl::Status AddTemporary(const std::string& scratch, NewRoot* root) {
  const std::string mine = absl::StrCat(scratch, "/tmp");
  RETURN_IF_ERROR(MakeShared(mine));
  ASSIGN_OR_RETURN(const UniqueFd target, root->FindOrMake("/tmp", true));
  return AddOwn(mine, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, target.get());
}

absl::Status AddNames(const MountPlan& plan, const std::string& scratch,
                      NewRoot* root) {
  RETURN_IF_ERROR(AddAccounts(plan.passwd, "passwd", scratch, root));
  RETURN_IF_ERROR(AddAccounts(plan.group, "group", scratch, root));
  for (const char* const path : {"/etc/hosts", "/etc/resolv.conf"}) {
    if (access(path, R_OK) != 0) continue;  // the node has none
    const absl::StatusOr<UniqueFd> target = root->FindOrMake(path, false);
    // the image has a link that leads nowhere
    if (absl::IsAlreadyExists(target.status())) continue;
    RETURN_IF_ERROR(target.status());
    RETURN_IF_ERROR(AddOwn(path, kNoRights | MOUNT_ATTR_RDONLY, target->get()));
  }
  return absl::OkStatus();
}

namespace {

std::vector<std::string> ImageVariables(const NewRoot& root) {
  std::vector<std::string> variables;
  const std::string text =
      root.ReadFile("/etc/environment", kMaxVariablesBytes);
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    const size_t equals = line.find('=');
    if (line.empty() || line[0] == '#' || equals == 0 ||
        equals == absl::string_view::npos ||
        line.find('\0') != absl::string_view::npos ||
        IsReservedVariable({line.data(), equals})) {
      continue;
    }
    absl::string_view value = line.substr(equals + 1);
    if (value.size() > 1 && value.front() == value.back() &&
        (value.front() == '"' || value.front() == '\'')) {
      value = value.substr(1, value.size() - 2);
    }
    variables.push_back(absl::StrCat(line.substr(0, equals), "=", value));
  }
  return variables;
}

std::string ImageWorkdir(const NewRoot& root) {
  const std::string text = root.ReadFile("/.carme/workdir", kMaxEdfPathBytes);
  const absl::string_view path = absl::StripAsciiWhitespace(text);
  if (path.empty() || path[0] != '/' ||
      path.find('\0') != absl::string_view::npos) {
    return "";
  }
  return root.Find(std::string(path)).ok() ? std::string(path) : "";
}

}  // namespace

ImageFacts ReadImageFacts(const NewRoot& root) {
  return {.variables = ImageVariables(root), .workdir = ImageWorkdir(root)};
}

}  // namespace carme::mount
