#include "slurm-hooks/agent/log_tail.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/unique_fd.h"

namespace carme::agent {
namespace {

constexpr off_t kWindowBytes = 4096;

std::string ReadEnd(int fd) {
  // The log is open for writing only; /proc gives it once more, with the
  // permissions of the file.
  const UniqueFd again(open(absl::StrCat("/proc/self/fd/", fd).c_str(),
                            O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat info {};
  if (!again.valid() || fstat(again.get(), &info) != 0 ||
      !S_ISREG(info.st_mode)) {
    return "";
  }
  std::string text(kWindowBytes, '\0');
  const ssize_t got = pread(again.get(), text.data(), text.size(),
                            std::max<off_t>(0, info.st_size - kWindowBytes));
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return text;
}

}  // namespace

std::string LastLineOf(int fd, size_t most) {
  return LastLineWith("", fd, most);
}

std::string LastLineWith(std::string_view mark, int fd, size_t most) {
  const std::string text = ReadEnd(fd);
  const std::string own = absl::StrCat("[", kAgentLogName, "] ");
  std::string last;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const std::string bare(absl::StripAsciiWhitespace(line));
    if (bare.starts_with(own)) continue;
    const size_t begin = bare.find(mark);
    if (!bare.empty() && begin != std::string::npos) last = bare.substr(begin);
  }
  for (char& c : last) {
    if (!absl::ascii_isprint(static_cast<unsigned char>(c))) c = '?';
  }
  return CutInMiddle(last, most);
}

std::string WithoutDirectory(std::string_view text,
                             std::string_view directory) {
  constexpr std::string_view kEndsPath = " :,;\"'()\n";
  std::string shorter;
  while (!directory.empty()) {
    const size_t begin = text.find(directory);
    if (begin == std::string_view::npos) break;
    const size_t behind = begin + directory.size();
    if (behind >= text.size() || text[behind] != '/') {
      shorter += text.substr(0, behind);
      text.remove_prefix(behind);
      continue;
    }
    const size_t end =
        std::min(text.find_first_of(kEndsPath, behind), text.size());
    const std::string_view path = text.substr(begin, end - begin);
    shorter += text.substr(0, begin);
    shorter += path.substr(path.rfind('/') + 1);
    text.remove_prefix(end);
  }
  shorter += text;
  return shorter;
}

std::string LastCauseOf(std::string_view mark, int fd,
                        std::string_view directory) {
  std::string line = LastLineWith(mark, fd, kWindowBytes);
  if (line.empty()) line = LastLineOf(fd, kWindowBytes);
  return CutInMiddle(WithoutDirectory(line, directory), kMaxReportedLine);
}

std::string CutInMiddle(std::string_view text, size_t most) {
  constexpr std::string_view kGap = " ... ";
  if (text.size() <= most || most <= kGap.size()) {
    return std::string(text.substr(0, most));
  }
  const size_t kept = most - kGap.size();
  const size_t head = kept / 3;
  std::string cut(text.substr(0, head));
  cut += kGap;
  cut += text.substr(text.size() - (kept - head));
  return cut;
}

}  // namespace carme::agent
