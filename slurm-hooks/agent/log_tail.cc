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
  std::string last;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const std::string bare(absl::StripAsciiWhitespace(line));
    const size_t begin = bare.find(mark);
    if (!bare.empty() && begin != std::string::npos) last = bare.substr(begin);
  }
  for (char& c : last) {
    if (!absl::ascii_isprint(static_cast<unsigned char>(c))) c = '?';
  }
  return last.substr(0, most);
}

}  // namespace carme::agent
