// Reads a part of a job's log as the user that this process runs as. The user
// may have replaced the log by anything.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "backend/privileged/impersonator/operations/job_script.h"
#include "backend/privileged/impersonator/operations/messages.h"
#include "backend/privileged/impersonator/operations/operations.h"
#include "backend/privileged/impersonator/operations/own_job.h"
#include "backend/privileged/impersonator/protocol/response.h"
#include "common/status.h"
#include "common/unique_fd.h"

namespace carme::impersonator {
namespace {

using privileged::v1::Log;
using privileged::v1::OUTCOME_OK;
using privileged::v1::ReadLog;
using privileged::v1::Request;
using privileged::v1::Response;

absl::Status OpenError(const std::string& what) {
  if (errno == ELOOP || errno == ENOTDIR) {
    return MakePlainError(operation_messages::kLogDirectoryIsLink,
                          {{"subject", what}});
  }
  return ErrnoError(errno, what);
}

// Neither the directory nor the log may be a link: its target was not written
// by this job. NOT_FOUND: no such log.
absl::StatusOr<UniqueFd> OpenLog(const std::string& home,
                                 const std::string& name) {
  const std::string what =
      absl::StrCat("open \"", home, "/", kLogDirectory, "/", name, "\"");
  const UniqueFd top(open(home.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!top.valid()) return OpenError(what);
  const UniqueFd directory(openat(
      top.get(), kLogDirectory, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory.valid()) return OpenError(what);
  // O_NONBLOCK: opening a FIFO does not wait for a writer.
  UniqueFd fd(
      openat(directory.get(), name.c_str(),
             O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!fd.valid()) return OpenError(what);
  return fd;
}

absl::StatusOr<int64_t> SizeOf(int fd, const Account& account) {
  struct stat info {};
  if (fstat(fd, &info) != 0) return ErrnoError(errno, "fstat the log");
  if (!S_ISREG(info.st_mode)) {
    return MakePlainError(operation_messages::kLogNotAFile);
  }
  if (info.st_uid != account.uid) {
    return MakePlainError(operation_messages::kLogOwner,
                          {{"owner", info.st_uid}, {"uid", account.uid}});
  }
  return info.st_size;
}

absl::StatusOr<Log> ReadPart(int fd, int64_t size, const ReadLog& read) {
  Log log;
  log.set_size_bytes(size);
  // A negative offset counts from the end, at most to the first byte.
  log.set_offset_bytes(read.offset_bytes() < 0
                           ? std::max<int64_t>(0, size + read.offset_bytes())
                           : std::min(size, read.offset_bytes()));
  std::string* text = log.mutable_text();
  text->resize(static_cast<size_t>(
      std::min<int64_t>(read.max_bytes(), size - log.offset_bytes())));
  size_t done = 0;
  while (done < text->size()) {
    const ssize_t count = pread(
        fd, text->data() + done, text->size() - done,
        static_cast<off_t>(log.offset_bytes() + static_cast<int64_t>(done)));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ErrnoError(errno, "read the log");
    if (count == 0) break;  // the log was truncated meanwhile
    done += static_cast<size_t>(count);
  }
  text->resize(done);
  return log;
}

std::optional<uint32_t> TaskOf(const ReadLog& read) {
  if (!read.has_task()) return std::nullopt;
  return read.task();
}

absl::StatusOr<Log> ReadLogOf(const Account& account, const ReadLog& read) {
  ASSIGN_OR_RETURN(const UniqueFd fd,
                   OpenLog(account.home, JobLogName(read.carme_job_id(),
                                                    read.app(), TaskOf(read))));
  ASSIGN_OR_RETURN(const int64_t size, SizeOf(fd.get(), account));
  return ReadPart(fd.get(), size, read);
}

}  // namespace

Response ReadJobLog(const Request& request, const Account& account,
                    const ImpersonatorConfig& /*config*/, ChildPipe* /*pipe*/) {
  const ReadLog& read = request.read_log();
  if (read.slurm_job_id() != 0) {
    const OwnJob job =
        FindOwnJob(read.slurm_job_id(), read.carme_job_id(), account);
    if (job.response.outcome() != OUTCOME_OK) return job.response;
  }
  absl::StatusOr<Log> log = ReadLogOf(account, read);
  if (!log.ok()) return ResponseFor(log.status());
  Response response = MakeResponse(OUTCOME_OK, "");
  *response.mutable_log() = *std::move(log);
  return response;
}

}  // namespace carme::impersonator
