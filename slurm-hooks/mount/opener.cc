#include "slurm-hooks/mount/opener.h"

#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>

#include <cerrno>
#include <set>

#include "absl/strings/str_cat.h"
#include "common/edf/render.h"
#include "common/status.h"
#include "slurm-hooks/mount/account_lines.h"
#include "slurm-hooks/mount/image_lookup.h"
#include "slurm-hooks/mount/plan.h"

namespace carme::mount {
namespace {

class Sender {
 public:
  Sender(const MountConfig& config, int socket)
      : config_(config), socket_(socket) {}

  absl::Status Send(const Edf& edf) {
    if (edf.entrypoint) {
      return absl::FailedPreconditionError(
          "\"entrypoint\" is true: expected false, because images of nodes "
          "have no entrypoint");
    }
    RETURN_IF_ERROR(SendImage(edf.image));
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
    ASSIGN_OR_RETURN(const std::string path, FindImage(image, config_.images));
    const std::string what = absl::StrCat("open image \"", path, "\"");
    UniqueFd fd(open(path.c_str(), O_PATH | O_CLOEXEC));
    if (!fd.valid()) return ErrnoError(errno, what);
    struct stat info {};
    if (fstat(fd.get(), &info) != 0) return ErrnoError(errno, what);
    if (!S_ISDIR(info.st_mode)) {
      // not before its kind is known: a pipe would wait, a device act
      if (!S_ISREG(info.st_mode)) {
        return absl::FailedPreconditionError(
            absl::StrCat(what, ": expected a file or a directory"));
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

  // Whether the job may open it is Slurm's to say (ConstrainDevices), by a
  // control group that this process is in.
  UniqueFd OpenDevice(const std::string& path) {
    return UniqueFd(
        open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  }

  absl::Status SendNodeDevices() {
    for (const std::string& pattern : config_.devices) {
      glob_t found{};
      if (glob(pattern.c_str(), 0, nullptr, &found) != 0) continue;
      absl::Status status;
      for (size_t i = 0; i < found.gl_pathc && status.ok(); ++i) {
        const std::string path = found.gl_pathv[i];
        struct stat info {};
        if (stat(path.c_str(), &info) != 0 || !S_ISCHR(info.st_mode)) continue;
        const UniqueFd fd = OpenDevice(path);
        if (!fd.valid() || !sent_.insert(path).second) continue;
        status = Put(DevicePacket(path), fd.get());
      }
      globfree(&found);
      RETURN_IF_ERROR(status);
    }
    return absl::OkStatus();
  }

  absl::Status SendDevice(const std::string& name) {
    // the job's GPUs are there anyway
    if (name.ends_with("/gpu=all")) return absl::OkStatus();
    if (!name.starts_with("/dev/")) {
      return absl::FailedPreconditionError(absl::StrCat(
          "device \"", name, "\": expected a path in /dev or VENDOR/gpu=all"));
    }
    if (!sent_.insert(name).second) return absl::OkStatus();
    const std::string what = absl::StrCat("open device \"", name, "\"");
    struct stat info {};
    if (stat(name.c_str(), &info) != 0) return ErrnoError(errno, what);
    if (!S_ISCHR(info.st_mode) && !S_ISBLK(info.st_mode)) {
      return absl::FailedPreconditionError(
          absl::StrCat(what, ": expected a device"));
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
