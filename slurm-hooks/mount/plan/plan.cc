#include "slurm-hooks/mount/plan/plan.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/edf/limits.h"
#include "common/status.h"
#include "slurm-hooks/mount/plan/messages.h"

namespace carme::mount {
namespace {

// A packet is its kind and fields that end with a zero byte.
enum Kind : char {
  kImage = 'I',
  kMount = 'M',
  kDevice = 'D',
  kAccount = 'A',
  kVariable = 'V',
  kRest = 'W',
  kRefusal = 'E',
};

constexpr std::string_view kFile = "file";
constexpr std::string_view kDirectory = "directory";
constexpr size_t kMaxDevices = 256;  // those of the node among them
constexpr size_t kMaxAccountBytes = 32 << 10;

template <typename... Fields>
std::string Compose(Kind kind, const Fields&... fields) {
  std::string packet(1, kind);
  for (const std::string_view field : {std::string_view(fields)...}) {
    absl::StrAppend(&packet, absl::string_view(field.data(), field.size()));
    packet.push_back('\0');
  }
  return packet;
}

absl::Status Odd(std::string_view what) {
  return MakePlainError(
      mount_plan_messages::kPlanInvalid,
      {{"problem", absl::string_view(what.data(), what.size())}});
}

std::vector<std::string> Fields(const std::string& bytes) {
  if (bytes.size() < 2 || bytes.back() != '\0') return {};
  return absl::StrSplit(absl::string_view(bytes).substr(1, bytes.size() - 2),
                        '\0');
}

bool HasParents(std::string_view path) {
  for (const absl::string_view name :
       absl::StrSplit(absl::string_view(path.data(), path.size()), '/')) {
    if (name == "..") return true;
  }
  return false;
}

bool IsPath(std::string_view path) {
  return !path.empty() && path[0] == '/' && path.size() <= kMaxEdfPathBytes &&
         !HasParents(path);
}

bool IsBelow(std::string_view path, std::string_view top) {
  return path.starts_with(top) &&
         (path.size() == top.size() || path[top.size()] == '/');
}

// Flags travel as letters.
absl::Status ReadFlags(const std::string& letters, PlannedMount* mount) {
  for (const char letter : letters) {
    switch (letter) {
      case 'r':
        mount->read_only = true;
        break;
      case 'x':
        mount->no_exec = true;
        break;
      case 's':
        mount->slave = true;
        break;
      case 'q':
        mount->squashfs = true;
        break;
      default:
        return Odd("a flag of a mount");
    }
  }
  return absl::OkStatus();
}

absl::Status AddImage(std::vector<std::string> fields, UniqueFd image,
                      MountPlan* plan) {
  if (fields.size() != 2 || plan->image.valid() ||
      (fields[1] != kFile && fields[1] != kDirectory)) {
    return Odd("an image");
  }
  plan->image = std::move(image);
  plan->image_path = std::move(fields[0]);
  plan->image_is_file = fields[1] == kFile;
  return absl::OkStatus();
}

absl::Status AddMount(std::vector<std::string> fields, UniqueFd source,
                      MountPlan* plan) {
  if (fields.size() != 3) return Odd("a mount");
  if (plan->mounts.size() >= kMaxEdfMounts + kMaxDriverFiles) {
    return Odd("too many mounts");
  }
  PlannedMount mount{.source = std::move(source),
                     .source_path = std::move(fields[0]),
                     .destination = std::move(fields[1])};
  RETURN_IF_ERROR(CheckDestination(mount.destination));
  RETURN_IF_ERROR(ReadFlags(fields[2], &mount));
  if (IsBelow(mount.destination, kNvidiaLibraries)) {
    plan->has_nvidia_driver = true;
  }
  plan->mounts.push_back(std::move(mount));
  return absl::OkStatus();
}

absl::Status AddDevice(std::string path, UniqueFd device, MountPlan* plan) {
  if (!IsPath(path) || !path.starts_with("/dev/") || path.ends_with("/")) {
    return Odd("a device");
  }
  if (plan->devices.size() >= kMaxDevices) return Odd("too many devices");
  plan->devices.push_back({std::move(device), std::move(path)});
  return absl::OkStatus();
}

absl::Status AddAccount(std::vector<std::string> fields, MountPlan* plan) {
  if (fields.size() != 2 ||
      fields[0].size() + fields[1].size() > kMaxAccountBytes) {
    return Odd("an account");
  }
  plan->passwd = std::move(fields[0]);
  plan->group = std::move(fields[1]);
  return absl::OkStatus();
}

absl::Status AddVariable(std::string variable, MountPlan* plan) {
  if (variable.empty() || variable[0] == '=') return Odd("a variable");
  if (plan->variables.size() >= kMaxEdfEntries) return Odd("many variables");
  plan->variables.push_back(std::move(variable));
  return absl::OkStatus();
}

absl::Status AddRest(std::vector<std::string> fields, MountPlan* plan) {
  if (fields.size() != 2 || (!fields[0].empty() && !IsPath(fields[0])) ||
      (fields[1] != "rw" && fields[1] != "ro")) {
    return Odd("its end");
  }
  plan->workdir = std::move(fields[0]);
  plan->writable = fields[1] == "rw";
  plan->whole = plan->image.valid();
  return plan->whole ? absl::OkStatus() : Odd("no image");
}

}  // namespace

std::string ImagePacket(std::string_view path, bool is_file) {
  return Compose(kImage, path, is_file ? kFile : kDirectory);
}

std::string MountPacket(const PlannedMount& mount) {
  std::string letters;
  if (mount.read_only) letters += 'r';
  if (mount.no_exec) letters += 'x';
  if (mount.slave) letters += 's';
  if (mount.squashfs) letters += 'q';
  return Compose(kMount, mount.source_path, mount.destination, letters);
}

std::string DevicePacket(std::string_view path) {
  return Compose(kDevice, path);
}

std::string AccountPacket(std::string_view passwd, std::string_view group) {
  return Compose(kAccount, passwd, group);
}

std::string VariablePacket(std::string_view variable) {
  return Compose(kVariable, variable);
}

std::string RestPacket(std::string_view workdir, bool writable) {
  return Compose(kRest, workdir, writable ? "rw" : "ro");
}

std::string RefusalPacket(std::string_view text) {
  return Compose(kRefusal, text);
}

absl::Status CheckDestination(std::string_view path) {
  const absl::string_view shown(path.data(), path.size());
  if (!IsPath(path)) return Odd("a mount's destination");
  if (path.find_first_not_of('/') == std::string_view::npos) {
    return MakePlainError(mount_plan_messages::kMountAtRoot);
  }
  for (const std::string_view own : {"/proc", "/sys", "/dev"}) {
    if (!IsBelow(path, own)) continue;
    return MakePlainError(mount_plan_messages::kMountAtOwn, {{"path", shown}});
  }
  return absl::OkStatus();
}

absl::Status AddToPlan(node::Packet packet, MountPlan* plan) {
  std::vector<std::string> fields = Fields(packet.bytes);
  if (fields.empty() || plan->whole) return Odd("a packet");
  const char kind = packet.bytes[0];
  const bool brings = kind == kImage || kind == kMount || kind == kDevice;
  if (packet.descriptors.size() != (brings ? 1U : 0U))
    return Odd("descriptors");
  UniqueFd fd;
  if (brings) fd = std::move(packet.descriptors[0]);
  switch (kind) {
    case kImage:
      return AddImage(std::move(fields), std::move(fd), plan);
    case kMount:
      return AddMount(std::move(fields), std::move(fd), plan);
    case kDevice:
      if (fields.size() != 1) return Odd("a device");
      return AddDevice(std::move(fields[0]), std::move(fd), plan);
    case kAccount:
      return AddAccount(std::move(fields), plan);
    case kVariable:
      if (fields.size() != 1) return Odd("a variable");
      return AddVariable(std::move(fields[0]), plan);
    case kRest:
      return AddRest(std::move(fields), plan);
    case kRefusal:
      return absl::FailedPreconditionError(fields[0]);
    default:
      return Odd("a packet of no kind");
  }
}

}  // namespace carme::mount
