// Writes a tar file.
#ifndef CARME_BACKEND_BACKUP_TAR_WRITER_H_
#define CARME_BACKEND_BACKUP_TAR_WRITER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/unique_fd.h"

struct archive;

namespace carme::backend {

// Called between steps of a few MiB; its error ends the operation.
using GoOn = std::function<absl::Status()>;

// Regular files in one folder. Errors: RESOURCE_EXHAUSTED: the disk is full;
// others of write(2). After an error, and without Close(), the file is removed.
class TarWriter {
 public:
  // Creates the file with mode 0600. ALREADY_EXISTS.
  static absl::StatusOr<std::unique_ptr<TarWriter>> Create(
      const std::string& path, const std::string& folder, absl::Time now);
  ~TarWriter();
  TarWriter(const TarWriter&) = delete;
  TarWriter& operator=(const TarWriter&) = delete;

  absl::Status AddText(const std::string& name, std::string_view content);
  // The first `size` bytes of the file `from`.
  absl::Status AddFile(const std::string& name, const std::string& from,
                       int64_t size, const GoOn& go_on);
  // Completes the file and makes it durable.
  absl::Status Close();

 private:
  TarWriter(std::string path, std::string folder, absl::Time now, UniqueFd fd);
  absl::Status AddHeader(const std::string& name, int64_t size);
  absl::Status AddBytes(std::string_view bytes);
  absl::Status WriteError() const;

  const std::string path_;
  const std::string folder_;
  const absl::Time now_;
  const UniqueFd fd_;
  const std::unique_ptr<archive, int (*)(archive*)> tar_;
  bool closed_ = false;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_BACKUP_TAR_WRITER_H_
