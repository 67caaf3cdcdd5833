#include "slurm-hooks/spank/step_groups.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <vector>

#include "common/unique_fd.h"

namespace carme {
namespace {

std::string TextOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<std::string> Split(const std::string& text, char mark) {
  std::vector<std::string> parts;
  std::istringstream from(text);
  for (std::string part; std::getline(from, part, mark);) parts.push_back(part);
  return parts;
}

bool Has(const std::vector<std::string>& words, const std::string& wanted) {
  for (const std::string& word : words) {
    if (word == wanted) return true;
  }
  return false;
}

bool IsTracking(const std::string& line) {
  return line.starts_with("0::/") || line.find(":freezer:/") != line.npos;
}

// proc_pid_mountinfo(5): … root place options … "-" kind source options
bool Shows(const std::vector<std::string>& fields, bool unified,
           std::string* root, std::string* place) {
  size_t dash = 6;
  while (dash < fields.size() && fields[dash] != "-") ++dash;
  if (dash + 3 >= fields.size()) return false;
  *root = fields[3];
  *place = fields[4];
  return unified ? fields[dash + 1] == "cgroup2"
                 : fields[dash + 1] == "cgroup" &&
                       Has(Split(fields[dash + 3], ','), "freezer");
}

bool Write(const std::string& directory, pid_t process) {
  const UniqueFd fd(
      open((directory + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
  const std::string text = std::to_string(process);
  // ESRCH: it has ended
  return fd.valid() &&
         (write(fd.get(), text.data(), text.size()) > 0 || errno == ESRCH);
}

}  // namespace

std::string GroupDirectory(const std::string& line,
                           const std::string& mountinfo) {
  if (!IsTracking(line)) return "";
  const std::string path = line.substr(line.find(":/") + 1);
  if (path == "/") return "";
  std::string root, place;
  for (const std::string& mount : Split(mountinfo, '\n')) {
    if (!Shows(Split(mount, ' '), line.starts_with("0::"), &root, &place)) {
      continue;
    }
    if (root == "/") return place + path;
    if (path.starts_with(root + "/")) return place + path.substr(root.size());
  }
  return "";
}

bool JoinGroupOf(pid_t task, pid_t process) {
  const std::string mountinfo = TextOf("/proc/self/mountinfo");
  bool joined = true;
  for (const std::string& line :
       Split(TextOf("/proc/" + std::to_string(task) + "/cgroup"), '\n')) {
    const std::string directory = GroupDirectory(line, mountinfo);
    if (!directory.empty()) joined = Write(directory, process) && joined;
  }
  return joined;
}

}  // namespace carme
