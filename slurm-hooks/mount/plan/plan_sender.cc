#include "slurm-hooks/mount/plan/plan_sender.h"

#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/edf/render.h"
#include "common/status.h"
#include "slurm-hooks/mount/plan/image_lookup.h"
#include "slurm-hooks/mount/plan/messages.h"
#include "slurm-hooks/mount/plan/plan.h"

namespace carme::mount {
namespace {

constexpr size_t kMaxGroups = 64;  // each may cost a directory look-up

// A field must not contain a colon or a control character.
std::string Field(const char* text) {
  std::string field = text == nullptr ? "" : text;
  std::erase_if(field, [](char c) {
    return c == ':' || static_cast<unsigned char>(c) < 0x20;
  });
  return field;
}

// The line of the process's own user as in passwd(5); empty when unknown. The
// accounts of an image are not the site's.
std::string OwnPasswdLine() {
  const passwd* const entry = getpwuid(getuid());
  if (entry == nullptr) return "";
  return absl::StrCat(Field(entry->pw_name), ":x:", entry->pw_uid, ":",
                      entry->pw_gid, ":", Field(entry->pw_gecos), ":",
                      Field(entry->pw_dir), ":", Field(entry->pw_shell), "\n");
}

// A line as in group(5) for each group of the process, without members; at most
// kMaxGroups lines.
std::string OwnGroupLines() {
  std::vector<gid_t> ids(65536);
  const int count = getgroups(static_cast<int>(ids.size()), ids.data());
  ids.resize(std::max(count, 0));
  ids.insert(ids.begin(), getgid());
  std::set<gid_t> added;
  std::string lines;
  for (const gid_t id : ids) {
    if (added.size() == kMaxGroups) break;
    if (!added.insert(id).second) continue;
    const group* const entry = getgrgid(id);
    if (entry == nullptr) continue;
    absl::StrAppend(&lines, Field(entry->gr_name), ":x:", id, ":\n");
  }
  return lines;
}

// Returns the existing paths for the patterns, in order.
std::vector<std::string> Matches(const std::vector<std::string>& patterns) {
  std::vector<std::string> paths;
  for (const std::string& pattern : patterns) {
    glob_t found{};
    if (glob(pattern.c_str(), GLOB_BRACE, nullptr, &found) == 0) {
      paths.insert(paths.end(), found.gl_pathv,
                   found.gl_pathv + found.gl_pathc);
    }
    globfree(&found);
  }
  return paths;
}

class Sender {
 public:
  Sender(const MountConfig& config, int socket)
      : config_(config), socket_(socket) {}

  absl::Status Send(const Edf& edf) {
    if (edf.entrypoint) {
      return MakePlainError(mount_plan_messages::kEntrypoint);
    }
    RETURN_IF_ERROR(SendImage(edf.image));
    // Sent before the user's mounts, which may cover the driver with the node's
    // /usr.
    if (std::count(edf.devices.begin(), edf.devices.end(), kAllNvidiaGpus) >
        0) {
      RETURN_IF_ERROR(SendNvidiaDriver());
    }
    for (const EdfMount& mount : edf.mounts) RETURN_IF_ERROR(SendMount(mount));
    RETURN_IF_ERROR(SendNodeDevices());
    for (const std::string& name : edf.devices) {
      RETURN_IF_ERROR(SendDevice(name));
    }
    RETURN_IF_ERROR(Put(AccountPacket(OwnPasswdLine(), OwnGroupLines())));
    for (const auto& [name, value] : edf.env) {
      RETURN_IF_ERROR(Put(VariablePacket(
          value.empty() ? name : absl::StrCat(name, "=", value))));
    }
    return Put(RestPacket(edf.workdir, edf.writable));
  }

 private:
  absl::Status Put(const std::string& packet, int fd = -1) {
    return node::SendPacket(socket_, packet,
                            fd < 0 ? std::vector<int>{} : std::vector<int>{fd});
  }

  absl::Status SendImage(const EdfImage& image) {
    ASSIGN_OR_RETURN(const std::string path,
                     FindImage(image, config_, CurrentImageOwner()));
    const std::string what = absl::StrCat("open image \"", path, "\"");
    UniqueFd fd(open(path.c_str(), O_PATH | O_CLOEXEC));
    if (!fd.valid()) return ErrnoError(errno, what);
    struct stat info {};
    if (fstat(fd.get(), &info) != 0) return ErrnoError(errno, what);
    if (!S_ISDIR(info.st_mode)) {
      // Opened after its kind is known: opening a pipe would block, opening a
      // device may have effects.
      if (!S_ISREG(info.st_mode)) {
        return MakePlainError(mount_plan_messages::kNotAFileOrDirectory,
                              {{"subject", what}});
      }
      fd.reset(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
      if (!fd.valid()) return ErrnoError(errno, what);
    }
    return Put(ImagePacket(path, S_ISREG(info.st_mode)), fd.get());
  }

  absl::Status SendMount(const EdfMount& wanted) {
    const bool squashfs = wanted.flags.count("sqsh") != 0;
    const PlannedMount mount{
        .source_path = wanted.source,
        .destination = wanted.destination,
        .read_only = squashfs || wanted.flags.count("ro") != 0,
        .no_exec = wanted.flags.count("noexec") != 0,
        .slave = wanted.flags.count("rslave") + wanted.flags.count("slave") > 0,
        .squashfs = squashfs};
    RETURN_IF_ERROR(CheckDestination(mount.destination));
    const UniqueFd fd(
        open(wanted.source.c_str(), squashfs ? O_RDONLY | O_CLOEXEC | O_NONBLOCK
                                             : O_PATH | O_CLOEXEC));
    if (!fd.valid()) {
      return ErrnoError(errno,
                        absl::StrCat("mount source \"", wanted.source, "\""));
    }
    return Put(MountPacket(mount), fd.get());
  }

  // Each name once: libraries have several names, which are links.
  absl::Status SendNvidiaDriver() {
    std::set<std::string> sent;
    for (const std::string& path : Matches(config_.nvidia_driver)) {
      const std::string name = path.substr(path.rfind('/') + 1);
      if (!sent.insert(name).second) continue;
      if (sent.size() > kMaxDriverFiles) {
        return MakePlainError(mount_plan_messages::kTooManyDriverFiles,
                              {{"max", kMaxDriverFiles}});
      }
      struct stat info {};
      if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
      const bool is_library = name.find(".so") != std::string::npos;
      const PlannedMount mount{
          .source_path = path,
          .destination = absl::StrCat(
              is_library ? std::string(kNvidiaLibraries) : "/usr/bin", "/",
              name),
          .read_only = true};
      const UniqueFd fd(open(path.c_str(), O_PATH | O_CLOEXEC));
      if (!fd.valid()) return ErrnoError(errno, absl::StrCat("open ", path));
      RETURN_IF_ERROR(Put(MountPacket(mount), fd.get()));
    }
    return absl::OkStatus();
  }

  // Whether the job may open it is Slurm's to say (ConstrainDevices), by a
  // control group that this process is in.
  UniqueFd OpenDevice(const std::string& path) {
    return UniqueFd(
        open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  }

  absl::Status SendNodeDevices() {
    for (const std::string& path : Matches(config_.devices)) {
      struct stat info {};
      if (stat(path.c_str(), &info) != 0 || !S_ISCHR(info.st_mode)) continue;
      const UniqueFd fd = OpenDevice(path);
      if (!fd.valid() || !sent_.insert(path).second) continue;
      RETURN_IF_ERROR(Put(DevicePacket(path), fd.get()));
    }
    return absl::OkStatus();
  }

  absl::Status SendDevice(const std::string& name) {
    // The step's GPUs are among the node's devices; other names of the
    // Container Device Interface (CDI) have no effect, of which the user was
    // warned.
    if (!name.starts_with("/dev/")) return absl::OkStatus();
    if (!sent_.insert(name).second) return absl::OkStatus();
    const std::string what = absl::StrCat("open device \"", name, "\"");
    struct stat info {};
    if (stat(name.c_str(), &info) != 0) return ErrnoError(errno, what);
    if (!S_ISCHR(info.st_mode) && !S_ISBLK(info.st_mode)) {
      return MakePlainError(mount_plan_messages::kNotADevice,
                            {{"subject", what}});
    }
    const UniqueFd fd = OpenDevice(name);
    if (!fd.valid()) return ErrnoError(errno, what);
    return Put(DevicePacket(name), fd.get());
  }

  const MountConfig& config_;
  const int socket_;
  // Devices; these every environment has.
  std::set<std::string> sent_ = {"/dev/null",   "/dev/zero",    "/dev/full",
                                 "/dev/random", "/dev/urandom", "/dev/tty"};
};

}  // namespace

absl::Status SendPlan(const std::string& edf_text, const MountConfig& config,
                      int socket) {
  const EdfResult read = ReadRenderedEdf(edf_text);
  absl::Status status = read.edf ? Sender(config, socket).Send(*read.edf)
                                 : read.problems.status();
  if (status.ok()) return status;
  return node::SendPacket(socket, RefusalPacket(std::string(status.message())),
                          {});
}

}  // namespace carme::mount
