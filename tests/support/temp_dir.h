// A directory that is gone, with all that is in it, at the end of the scope.
#ifndef CARME_TESTS_SUPPORT_TEMP_DIR_H_
#define CARME_TESTS_SUPPORT_TEMP_DIR_H_

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>

namespace carme {

class TempDir {
 public:
  TempDir() {
    if (mkdtemp(path_.data()) == nullptr) {
      throw std::runtime_error("no temporary directory");
    }
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }
  std::string File(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_ = "/tmp/carme-test-XXXXXX";
};

}  // namespace carme

#endif  // CARME_TESTS_SUPPORT_TEMP_DIR_H_
