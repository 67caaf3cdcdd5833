#include "slurm-hooks/files/file_error.h"

#include <array>
#include <cerrno>
#include <string>

#include "absl/strings/cord.h"
#include "common/status.h"

namespace carme::files {
namespace {

constexpr char kPayload[] = "carme.files/code";

constexpr std::array kCodes = {
    kBadRequest, kForbidden, kNotFound, kExists,          kOffset,
    kChanged,    kTooLarge,  kIsFolder, kNotFolder,       kNotEmpty,
    kFailed,     kBusy,      kNoSpace,  kOtherFileSystem,
};

ErrorCode CodeOfErrno(int error) {
  switch (error) {
    case ENOENT:
      return kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
      return kForbidden;
    case EEXIST:
      return kExists;
    case EINVAL:
    case ENAMETOOLONG:
    case ELOOP:
      return kBadRequest;
    case EISDIR:
      return kIsFolder;
    case ENOTDIR:
      return kNotFolder;
    case ENOTEMPTY:
      return kNotEmpty;
    case EXDEV:
      return kOtherFileSystem;
    case EFBIG:
      return kTooLarge;
    case ENOSPC:
    case EDQUOT:
      return kNoSpace;
    case EAGAIN:
    case EBUSY:
    case EMFILE:
    case ENFILE:
    case ETXTBSY:
      return kBusy;
    default:
      return kFailed;
  }
}

absl::string_view AbslView(std::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

absl::Status FileError(const ErrorCode& code, std::string_view text) {
  absl::Status status(absl::StatusCode::kFailedPrecondition, AbslView(text));
  status.SetPayload(kPayload, absl::Cord(AbslView(code.name)));
  return status;
}

absl::Status FileErrno(int error, std::string_view what) {
  absl::Status status = ErrnoError(error, what);
  status.SetPayload(kPayload, absl::Cord(AbslView(CodeOfErrno(error).name)));
  return status;
}

ErrorCode ErrorCodeOf(const absl::Status& status) {
  if (const auto payload = status.GetPayload(kPayload)) {
    const std::string name(*payload);
    for (const ErrorCode& code : kCodes) {
      if (code.name == name) return code;
    }
  }
  switch (status.code()) {
    case absl::StatusCode::kNotFound:
      return kNotFound;
    case absl::StatusCode::kPermissionDenied:
      return kForbidden;
    case absl::StatusCode::kAlreadyExists:
      return kExists;
    case absl::StatusCode::kInvalidArgument:
      return kBadRequest;
    case absl::StatusCode::kResourceExhausted:
      return kNoSpace;
    default:
      return kFailed;
  }
}

}  // namespace carme::files
