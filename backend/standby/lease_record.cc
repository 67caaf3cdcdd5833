#include "backend/standby/lease_record.h"

#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/config/config.h"
#include "common/file.h"
#include "common/status.h"
#include "common/unique_fd.h"

namespace carme::backend {
namespace {

constexpr char kFile[] = "/backend.lease";
constexpr size_t kMaxBytes = 4096;
constexpr size_t kRecordBytes = 512;    // one sector: written as a whole
constexpr size_t kStartTimeField = 19;  // of those after the name, from 0

// Field 22 of /proc/PID/stat. The name before it may contain anything, also
// parentheses. NOT_FOUND: no such process.
absl::StatusOr<int64_t> StartTimeOf(int64_t pid) {
  ASSIGN_OR_RETURN(const std::string text,
                   ReadFile(absl::StrCat("/proc/", pid, "/stat")));
  const size_t end = text.rfind(')');
  const std::vector<std::string> fields =
      end == std::string::npos
          ? std::vector<std::string>()
          : absl::StrSplit(text.substr(end + 1), ' ', absl::SkipEmpty());
  int64_t ticks = 0;
  if (fields.size() <= kStartTimeField ||
      !absl::SimpleAtoi(fields[kStartTimeField], &ticks)) {
    return absl::InternalError("unexpected content of /proc/PID/stat");
  }
  return ticks;
}

absl::StatusOr<std::string> ReadLine(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxBytes));
  return std::string(absl::StripAsciiWhitespace(text));
}

absl::StatusOr<std::string> PidNamespace() {
  char target[64];
  const ssize_t length = readlink("/proc/self/ns/pid", target, sizeof target);
  if (length < 0) return ErrnoError(errno, "read \"/proc/self/ns/pid\"");
  return std::string(target, static_cast<size_t>(length));
}

// Characters that need no escape in TOML.
std::string Quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const bool safe = c > ' ' && c < 0x7f && c != '"' && c != '\\';
    result.push_back(safe ? c : '?');
  }
  return result + "\"";
}

absl::StatusOr<LeaseRecord> Parse(const std::string& text) {
  ASSIGN_OR_RETURN(ConfigFile file, ConfigFile::Parse(text, "backend.lease"));
  ConfigTable root = file.root();
  LeaseRecord record;
  int64_t renewals = 0;
  root.Read("host", &record.holder.host, Required());
  root.Read("machine_id", &record.holder.machine_id);
  root.Read("pid_namespace", &record.holder.pid_namespace, Required());
  root.Read("pid", &record.holder.pid, Range(1, INT64_MAX));
  root.Read("start_time", &record.holder.start_time);
  root.Read("renewals", &renewals, Range(0, INT64_MAX));
  root.Read("released", &record.released);
  RETURN_IF_ERROR(file.Finish());
  record.renewals = static_cast<uint64_t>(renewals);
  return record;
}

}  // namespace

absl::StatusOr<ProcessIdentity> IdentityOfThisProcess() {
  ProcessIdentity identity;
  utsname host{};
  if (uname(&host) != 0) return ErrnoError(errno, "uname");
  identity.host = host.nodename;
  identity.machine_id = ReadLine("/etc/machine-id").value_or("");
  ASSIGN_OR_RETURN(identity.pid_namespace, PidNamespace());
  identity.pid = getpid();
  ASSIGN_OR_RETURN(identity.start_time, StartTimeOf(identity.pid));
  return identity;
}

bool HasCertainlyEnded(const ProcessIdentity& process) {
  const absl::StatusOr<ProcessIdentity> self = IdentityOfThisProcess();
  if (!self.ok() || self->machine_id.empty() ||
      self->machine_id != process.machine_id || self->host != process.host ||
      self->pid_namespace != process.pid_namespace) {
    return false;
  }
  const absl::StatusOr<int64_t> start_time = StartTimeOf(process.pid);
  if (!start_time.ok()) return absl::IsNotFound(start_time.status());
  return *start_time != process.start_time;
}

absl::StatusOr<std::optional<LeaseRecord>> ReadLease(
    const std::string& state_directory) {
  const absl::StatusOr<std::string> text =
      ReadFile(state_directory + kFile, kMaxBytes);
  if (absl::IsNotFound(text.status())) return std::nullopt;
  if (!text.ok()) return text.status();
  const absl::StatusOr<LeaseRecord> record = Parse(*text);
  if (!record.ok()) return std::nullopt;
  return *record;
}

// In place, so that a full disk does not end the active backend.
absl::Status WriteLease(const std::string& state_directory,
                        const LeaseRecord& record) {
  const ProcessIdentity& holder = record.holder;
  std::string text =
      absl::StrCat("host = ", Quoted(holder.host),
                   "\nmachine_id = ", Quoted(holder.machine_id),
                   "\npid_namespace = ", Quoted(holder.pid_namespace),
                   "\npid = ", holder.pid, "\nstart_time = ", holder.start_time,
                   "\nrenewals = ", record.renewals,
                   "\nreleased = ", record.released ? "true" : "false", "\n");
  if (text.size() > kRecordBytes) {
    return absl::InternalError("the lease does not fit");
  }
  text.resize(kRecordBytes, '\n');
  const std::string path = state_directory + kFile;
  const UniqueFd fd(
      open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd.valid()) {
    return ErrnoError(errno, absl::StrCat("open \"", path, "\""));
  }
  const ssize_t written = pwrite(fd.get(), text.data(), text.size(), 0);
  if (written != static_cast<ssize_t>(text.size()) ||
      fdatasync(fd.get()) != 0) {
    return ErrnoError(written < 0 || written == kRecordBytes ? errno : ENOSPC,
                      absl::StrCat("write \"", path, "\""));
  }
  return absl::OkStatus();
}

}  // namespace carme::backend
