#include "slurm-hooks/files/download.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/status.h"
#include "common/unique_fd.h"
#include "slurm-hooks/files/file_error.h"
#include "slurm-hooks/files/request_target.h"

namespace carme::files {
namespace {

struct OpenedFile {
  UniqueFd fd;
  struct stat info;
  uint64_t size() const { return static_cast<uint64_t>(info.st_size); }
};

struct ByteRange {
  uint64_t first, last;
};

absl::StatusOr<OpenedFile> OpenFile(const std::string& path) {
  // Non-blocking, so that a pipe without a writer does not block the thread.
  OpenedFile file{
      UniqueFd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)), {}};
  const std::string what = absl::StrCat("open \"", path, "\"");
  if (!file.fd.valid() || fstat(file.fd.get(), &file.info) != 0) {
    return FileErrno(errno, what);
  }
  if (S_ISDIR(file.info.st_mode)) return FileErrno(EISDIR, what);
  if (!S_ISREG(file.info.st_mode)) {
    return FileError(kForbidden, absl::StrCat(what, ": not a regular file"));
  }
  return file;
}

// A single range. Nullopt: several or an invalid one, which RFC 9110 permits to
// ignore. {1, 0}: none of the file's bytes.
std::optional<ByteRange> ParseRange(std::string_view text, uint64_t size) {
  absl::string_view range(text.data(), text.size());
  if (!absl::ConsumePrefix(&range, "bytes=")) return std::nullopt;
  const size_t dash = range.find('-');
  if (dash == range.npos || range.find(',') != range.npos) return std::nullopt;
  const absl::string_view from = range.substr(0, dash);
  const absl::string_view to = range.substr(dash + 1);
  uint64_t first = 0, last = 0;
  if (from.empty()) {
    uint64_t count = 0;
    if (!absl::SimpleAtoi(to, &count)) return std::nullopt;
    if (count == 0 || size == 0) return ByteRange{1, 0};
    return ByteRange{size - std::min(count, size), size - 1};
  }
  if (!absl::SimpleAtoi(from, &first)) return std::nullopt;
  if (to.empty()) {
    last = size - 1;
  } else if (!absl::SimpleAtoi(to, &last) || last < first) {
    return std::nullopt;
  }
  if (first >= size) return ByteRange{1, 0};
  return ByteRange{first, std::min(last, size - 1)};
}

void SendOpenedFile(Exchange* exchange, const OpenedFile& file,
                    Exchange::Headers headers) {
  const std::string etag = EtagOf(file.info);
  headers.emplace_back("ETag", etag);
  headers.emplace_back("Accept-Ranges", "bytes");
  const auto range_header = exchange->Header("Range");
  std::optional<ByteRange> range;
  if (range_header.has_value() &&
      exchange->Header("If-Range").value_or(etag) == etag) {
    range = ParseRange(*range_header, file.size());
  }
  if (!range.has_value()) {
    return exchange->SendFile(200, file.fd.get(), 0, file.size(), headers);
  }
  if (range->first > range->last) {
    return exchange->Send(
        416, "", "",
        {{"Content-Range", absl::StrCat("bytes */", file.size())}});
  }
  headers.emplace_back(
      "Content-Range",
      absl::StrCat("bytes ", range->first, "-", range->last, "/", file.size()));
  exchange->SendFile(206, file.fd.get(), range->first,
                     range->last - range->first + 1, headers);
}

// RFC 6266, for names of any bytes.
std::string AttachmentNamed(std::string_view name) {
  return absl::StrCat("attachment; filename*=UTF-8''", PercentEncode(name));
}

struct ViewType {
  std::string_view suffix, type;
};

// What browsers show by themselves. Everything else is shown as text.
constexpr ViewType kViewTypes[] = {
    {".png", "image/png"},     {".jpg", "image/jpeg"},
    {".jpeg", "image/jpeg"},   {".gif", "image/gif"},
    {".webp", "image/webp"},   {".avif", "image/avif"},
    {".bmp", "image/bmp"},     {".ico", "image/x-icon"},
    {".svg", "image/svg+xml"}, {".pdf", "application/pdf"},
    {".mp4", "video/mp4"},     {".webm", "video/webm"},
    {".ogv", "video/ogg"},     {".mp3", "audio/mpeg"},
    {".ogg", "audio/ogg"},     {".oga", "audio/ogg"},
    {".wav", "audio/wav"},     {".flac", "audio/flac"},
    {".m4a", "audio/mp4"},
};

std::string_view ViewTypeOf(std::string_view name) {
  const std::string lower =
      absl::AsciiStrToLower(absl::string_view(name.data(), name.size()));
  for (const ViewType& type : kViewTypes) {
    if (lower.ends_with(type.suffix)) return type.type;
  }
  return "text/plain; charset=utf-8";
}

// tar(1) with its output in a pipe. It ends with this object.
class TarProcess {
 public:
  TarProcess() = default;
  ~TarProcess() {
    output_.reset();  // SIGPIPE
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  TarProcess(const TarProcess&) = delete;
  TarProcess& operator=(const TarProcess&) = delete;

  absl::Status Start(const std::string& path) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return FileErrno(errno, "create a pipe");
    output_.reset(ends[0]);
    const UniqueFd input(ends[1]);
    // "./" before names that begin with a dash.
    const std::string directory =
        absl::StrCat("--directory=", ParentPath(path));
    const std::string name = absl::StrCat("./", std::string(FileName(path)));
    const char* arguments[] = {"tar",
                               "--create",
                               "--file=-",
                               "--ignore-failed-read",
                               directory.c_str(),
                               "--",
                               name.c_str(),
                               nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input.get(), STDOUT_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    const int error =
        posix_spawnp(&pid_, "tar", &actions, &attributes,
                     const_cast<char* const*>(arguments), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error == 0) return absl::OkStatus();
    pid_ = 0;
    return FileErrno(error, "start tar");
  }

  // Empty: the archive is complete.
  absl::StatusOr<std::string_view> Read() {
    ssize_t size = 0;
    do {
      size = read(output_.get(), buffer_, sizeof buffer_);
    } while (size < 0 && errno == EINTR);
    if (size < 0) return FileErrno(errno, "read the output of tar");
    if (size > 0) return std::string_view(buffer_, static_cast<size_t>(size));
    int code = 0;
    const pid_t ended = waitpid(std::exchange(pid_, 0), &code, 0);
    // 1: a file changed while tar read it.
    if (ended < 0 || !WIFEXITED(code) || WEXITSTATUS(code) > 1) {
      return FileError(kFailed, "tar failed");
    }
    return std::string_view();
  }

 private:
  pid_t pid_ = 0;
  UniqueFd output_;
  char buffer_[64 * 1024];
};

}  // namespace

std::string EtagOf(const struct stat& info) {
  return absl::StrCat("\"", absl::Hex(info.st_ino), "-",
                      absl::Hex(info.st_size), "-",
                      absl::Hex(info.st_mtim.tv_sec), ".",
                      absl::Hex(info.st_mtim.tv_nsec), "\"");
}

void SendDownload(Exchange* exchange, const std::string& path) {
  const auto file = OpenFile(path);
  if (!file.ok()) return exchange->SendError(file.status());
  SendOpenedFile(exchange, *file,
                 {{"Content-Type", "application/octet-stream"},
                  {"Content-Disposition", AttachmentNamed(FileName(path))}});
}

void SendView(Exchange* exchange, const std::string& path) {
  const auto file = OpenFile(path);
  if (!file.ok()) return exchange->SendError(file.status());
  const std::string_view type = ViewTypeOf(FileName(path));
  // Chromium shows no PDF in a sandbox; its viewer is not in the file's origin.
  const bool is_pdf = type == "application/pdf";
  SendOpenedFile(
      exchange, *file,
      {{"Content-Type", std::string(type)},
       {"Content-Security-Policy",
        absl::StrCat(is_pdf ? "" : "sandbox; ",
                     "default-src 'none'; style-src 'unsafe-inline'; "
                     "frame-ancestors 'self'")}});
}

void SendArchive(Exchange* exchange, const std::string& path) {
  struct stat info {};
  const std::string what = absl::StrCat("open \"", path, "\"");
  char real[PATH_MAX];  // tar would archive a link as a link
  if (realpath(path.c_str(), real) == nullptr || stat(real, &info) != 0) {
    return exchange->SendError(FileErrno(errno, what));
  }
  if (!S_ISDIR(info.st_mode) || std::string_view(real) == "/") {
    return exchange->SendError(FileErrno(ENOTDIR, what));
  }
  TarProcess tar;
  if (const absl::Status started = tar.Start(real); !started.ok()) {
    return exchange->SendError(started);
  }
  exchange->SendChunks(
      {{"Content-Type", "application/x-tar"},
       {"Content-Disposition",
        AttachmentNamed(absl::StrCat(std::string(FileName(path)), ".tar"))}},
      [&] { return tar.Read(); });
}

}  // namespace carme::files
