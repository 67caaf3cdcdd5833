#include "backend/privileged/storage/area_reading.h"

#include <fcntl.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "absl/strings/str_cat.h"
#include "backend/privileged/storage/command.h"
#include "backend/privileged/storage/figures.h"
#include "backend/privileged/storage/storage_messages.h"
#include "common/printable.h"
#include "common/status.h"
#include "common/unique_fd.h"

namespace carme::storage_reader {
namespace {

using privileged::v1::OUTCOME_NOT_FOUND;
using privileged::v1::OUTCOME_OK;
using privileged::v1::StorageArea;
using privileged::v1::StorageResponse;
using Kind = StorageAreaConfig::Kind;

constexpr size_t kMaxDetail = 200;

// Sentences for users. Details are for the administrator.
std::string_view ProblemOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kNotFound:
      return "This directory does not exist.";
    case absl::StatusCode::kPermissionDenied:
      return "You do not have permission to read this directory.";
    case absl::StatusCode::kUnimplemented:
      return "This file system has no quota for you.";
    case absl::StatusCode::kDeadlineExceeded:
      return "The file system does not respond.";
    case absl::StatusCode::kFailedPrecondition:
      return "The program that reports the usage cannot be run.";
    default:
      return "The usage cannot be read.";
  }
}

// Errors that mean that there is no quota: quotas are off, or the file system
// or the kernel does not support them.
absl::Status QuotaError(int error, const std::string& path) {
  const std::string what = absl::StrCat("quota of \"", path, "\"");
  if (error == ESRCH || error == ENOSYS || error == EOPNOTSUPP ||
      error == ENODEV || error == EINVAL) {
    return absl::UnimplementedError(ErrnoError(error, what).message());
  }
  // quotactl_fd(2) returns EPERM for the quota of another user.
  if (error == EPERM) error = EACCES;
  return ErrnoError(error, what);
}

// By path, so that file systems that are mounted on demand are mounted.
absl::Status ReadFileSystem(const std::string& path, struct statfs* found) {
  if (statfs(path.c_str(), found) == 0) return absl::OkStatus();
  return ErrnoError(errno, absl::StrCat("read \"", path, "\""));
}

absl::Status ReadQuota(const AreaToRead& area, QuotaCall ask,
                       StorageArea* row) {
  struct statfs mounted {};
  RETURN_IF_ERROR(ReadFileSystem(area.path, &mounted));
  const UniqueFd fd(open(area.path.c_str(), O_PATH | O_CLOEXEC));
  if (!fd.valid()) {
    return ErrnoError(errno, absl::StrCat("open \"", area.path, "\""));
  }
  struct dqblk quota {};
  if (ask(fd.get(), area.of_group ? GRPQUOTA : USRQUOTA, area.id, &quota) !=
      0) {
    return QuotaError(errno, area.path);
  }
  FillFromQuota(quota, row);
  return absl::OkStatus();
}

absl::Status ReadByCommand(const AreaToRead& area, int parent_fd,
                           absl::Time deadline, StorageArea* row) {
  ASSIGN_OR_RETURN(const std::string output,
                   RunStorageCommand(area.command, parent_fd, deadline));
  return FillFromOutput(output, area.format, area.id, row);
}

absl::Status Read(const AreaToRead& area, int parent_fd, absl::Time deadline,
                  QuotaCall ask, StorageArea* row) {
  switch (area.kind) {
    case Kind::kQuota:
      return ReadQuota(area, ask, row);
    case Kind::kFilesystem: {
      struct statfs found {};
      RETURN_IF_ERROR(ReadFileSystem(area.path, &found));
      FillFromFileSystem(found, row);
      return absl::OkStatus();
    }
    case Kind::kCommand:
      break;
  }
  return ReadByCommand(area, parent_fd, deadline, row);
}

StorageArea NewArea(const AreaToRead& area) {
  StorageArea row;
  row.set_name(ValidUtf8(area.name));
  row.set_path(ValidUtf8(area.path));
  return row;
}

}  // namespace

int AskKernelForQuota(int fd, int type, uint32_t id, struct dqblk* quota) {
  return static_cast<int>(
      syscall(SYS_quotactl_fd, fd, QCMD(Q_GETQUOTA, type), id, quota));
}

StorageResponse AreaWithProblem(const AreaToRead& area,
                                std::string_view problem,
                                std::string_view detail) {
  StorageResponse response = MakeStorageResponse(OUTCOME_OK, "");
  response.set_message(
      absl::StrCat(area.name, ": ", Readable(detail, kMaxDetail)));
  *response.mutable_message() = ValidUtf8(response.message());
  *response.add_areas() = NewArea(area);
  response.mutable_areas(0)->set_problem(std::string(problem));
  return response;
}

StorageResponse ReadStorageArea(const AreaToRead& area, int parent_fd,
                                absl::Time deadline, QuotaCall ask) {
  StorageArea row = NewArea(area);
  const absl::Status read = Read(area, parent_fd, deadline, ask, &row);
  if (!read.ok()) {
    const std::string_view detail(read.message().data(), read.message().size());
    StorageResponse response = AreaWithProblem(area, ProblemOf(read), detail);
    if (absl::IsNotFound(read)) response.set_outcome(OUTCOME_NOT_FOUND);
    return response;
  }
  StorageResponse response = MakeStorageResponse(OUTCOME_OK, "");
  *response.add_areas() = row;
  return response;
}

StorageResponse ReadStorageArea(const AreaToRead& area, int parent_fd,
                                absl::Time deadline) {
  return ReadStorageArea(area, parent_fd, deadline, AskKernelForQuota);
}

}  // namespace carme::storage_reader
