#include "backend/images/image_build_status.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backend/images/messages.h"
#include "backend/policy/spec/quoted.h"
#include "common/crypto/file_digest.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"
#include "common/unique_fd.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxFileBytes = 4096;
constexpr size_t kMaxMessageBytes = 200;
constexpr int kMaxSteps = 1000;

bool ParseCount(const std::string& value, int max, int* count) {
  return absl::SimpleAtoi(value, count) && *count >= 0 && *count <= max;
}

bool ParseTime(const std::string& value, absl::Time* time) {
  int64_t seconds = 0;
  // Up to the year 9999, the maximum of a Timestamp.
  if (!absl::SimpleAtoi(value, &seconds) || seconds < 0 ||
      seconds > 253402300799) {
    return false;
  }
  *time = absl::FromUnixSeconds(seconds);
  return true;
}

bool ParseState(std::string_view value, ImageBuildStatus::State* state) {
  if (value == "building") {
    *state = ImageBuildStatus::State::kBuilding;
  } else if (value == "ready") {
    *state = ImageBuildStatus::State::kReady;
  } else if (value == "failed") {
    *state = ImageBuildStatus::State::kFailed;
  } else {
    return false;
  }
  return true;
}

// False: the value is invalid.
bool ParseLine(const std::string& key, const std::string& value,
               ImageBuildStatus* build) {
  if (key == "state") return ParseState(value, &build->state);
  if (key == "step") return ParseCount(value, kMaxSteps, &build->step);
  if (key == "steps") return ParseCount(value, kMaxSteps, &build->steps);
  if (key == "percent") {
    return ParseCount(value, 100, &build->percent.emplace());
  }
  if (key == "started_at") return ParseTime(value, &build->started_at);
  if (key == "updated_at") return ParseTime(value, &build->updated_at);
  if (key == "message") {
    build->message = Readable(value, kMaxMessageBytes);
  }
  if (key == "sha256") {
    build->sha256 = value;
    return IsDigest(value);
  }
  return true;
}

absl::Status CheckFile(int fd, const std::string& path) {
  struct stat info = {};
  if (fstat(fd, &info) != 0) {
    return ErrnoError(errno, absl::StrCat("stat \"", path, "\""));
  }
  if (!S_ISREG(info.st_mode)) {
    return MakeError(image_messages::kStatusNotRegular, {{"path", path}});
  }
  if ((info.st_uid != 0 && info.st_uid != geteuid()) ||
      (info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return MakeError(image_messages::kStatusWritable, {{"path", path}});
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadStatusFile(const std::string& path) {
  UniqueFd fd(open(path.c_str(),
                   O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!fd.valid() && errno == ELOOP) {
    return MakeError(image_messages::kStatusIsLink, {{"path", path}});
  }
  if (!fd.valid()) return ErrnoError(errno, absl::StrCat("\"", path, "\""));
  RETURN_IF_ERROR(CheckFile(fd.get(), path));
  char buffer[kMaxFileBytes + 1];
  size_t size = 0;
  while (size < sizeof buffer) {
    const ssize_t got = read(fd.get(), buffer + size, sizeof buffer - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ErrnoError(errno, absl::StrCat("read \"", path, "\""));
    if (got == 0) return std::string(buffer, size);
    size += static_cast<size_t>(got);
  }
  return MakeError(image_messages::kStatusTooLong,
                   {{"path", path}, {"max", kMaxFileBytes}});
}

}  // namespace

absl::StatusOr<ImageBuildStatus> ParseImageBuildStatus(std::string_view text) {
  ImageBuildStatus build;
  bool has_state = false;
  const std::vector<std::string> lines =
      absl::StrSplit(std::string(text), '\n', absl::SkipEmpty());
  for (const std::string& line : lines) {
    const size_t equals = line.find('=');
    const std::string key = line.substr(0, equals);
    if (equals == std::string::npos ||
        !ParseLine(key, line.substr(equals + 1), &build)) {
      return MakeError(image_messages::kStatusInvalidLine,
                       {{"line", Quoted(Readable(line, 64))}});
    }
    if (key == "state") has_state = true;
  }
  if (!has_state) {
    return MakeError(image_messages::kStatusWithoutState);
  }
  if (build.step > build.steps) {
    return MakeError(image_messages::kStatusInvalidStep);
  }
  return build;
}

absl::StatusOr<ImageBuildStatus> ReadImageBuildStatus(const std::string& path,
                                                      absl::Time now) {
  ASSIGN_OR_RETURN(const std::string text, ReadStatusFile(path));
  ASSIGN_OR_RETURN(ImageBuildStatus build, ParseImageBuildStatus(text));
  if (build.state == ImageBuildStatus::State::kBuilding &&
      build.updated_at + kImageBuildTimeout < now) {
    build.state = ImageBuildStatus::State::kFailed;
    build.message = FormatMessage(
        image_messages::kBuildWithoutProgress,
        {{"time", absl::FormatTime("%Y-%m-%d %H:%M UTC", build.updated_at,
                                   absl::UTCTimeZone())}});
    if (build.updated_at == absl::InfinitePast()) {
      build.message = FormatMessage(image_messages::kStatusWithoutTime);
    }
  }
  return build;
}

}  // namespace carme::backend
