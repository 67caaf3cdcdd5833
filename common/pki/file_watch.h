// Detects replaced files, with one stat() for each file.
#ifndef CARME_COMMON_PKI_FILE_WATCH_H_
#define CARME_COMMON_PKI_FILE_WATCH_H_

#include <string>
#include <vector>

namespace carme {

// Not thread-safe.
class FileWatch {
 public:
  // Empty paths are ignored.
  explicit FileWatch(std::vector<std::string> paths);
  // True when a file was created, deleted or changed (inode, size or time of
  // change) since the last call, or since the construction.
  bool Changed();

 private:
  std::vector<std::string> ReadStates() const;
  const std::vector<std::string> paths_;
  std::vector<std::string> seen_;
};

}  // namespace carme

#endif  // CARME_COMMON_PKI_FILE_WATCH_H_
