// A file of /proc, /sys or a control group that is read in every round. It
// stays open, and a read is one pread(2) into a shared buffer.
#ifndef CARME_SLURM_HOOKS_SAMPLER_SAMPLE_FILE_H_
#define CARME_SLURM_HOOKS_SAMPLER_SAMPLE_FILE_H_

#include <dirent.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/unique_fd.h"

namespace carme::sampler {

// Used on one thread.
class SampleFile {
 public:
  SampleFile() = default;  // never valid
  explicit SampleFile(const std::string& path);

  bool valid() const { return fd_.valid(); }
  // Returns the content, at most 256 KiB, until the next call for any file of
  // this thread. nullopt: the file does not exist, or not any more.
  std::optional<std::string_view> Read() const;

 private:
  UniqueFd fd_;
};

// The same for a file that is read once.
std::optional<std::string_view> ReadSampleFile(const std::string& path);

struct DirectoryCloser {
  void operator()(DIR* directory) const { closedir(directory); }
};
using Directory = std::unique_ptr<DIR, DirectoryCloser>;
// nullptr: it cannot be read.
inline Directory OpenDirectory(const std::string& path) {
  return Directory(opendir(path.c_str()));
}

}  // namespace carme::sampler

#endif  // CARME_SLURM_HOOKS_SAMPLER_SAMPLE_FILE_H_
