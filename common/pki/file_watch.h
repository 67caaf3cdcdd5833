// Whether files were replaced since the last look. Costs a stat() each.
#ifndef CARME_COMMON_PKI_FILE_WATCH_H_
#define CARME_COMMON_PKI_FILE_WATCH_H_

#include <string>
#include <vector>

namespace carme {

// Not thread-safe.
class FileWatch {
 public:
  // Empty paths are left out.
  explicit FileWatch(std::vector<std::string> paths);
  // True when a file came, went, or is another or has another content (its
  // inode, size or time of change) than at the last call, or at the start.
  bool Changed();

 private:
  std::vector<std::string> Look() const;
  const std::vector<std::string> paths_;
  std::vector<std::string> seen_;
};

}  // namespace carme

#endif  // CARME_COMMON_PKI_FILE_WATCH_H_
