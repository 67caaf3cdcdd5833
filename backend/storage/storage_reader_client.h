// Reads the usage of users' storage through carme-storage-reader's unix socket.
#ifndef CARME_BACKEND_STORAGE_STORAGE_READER_CLIENT_H_
#define CARME_BACKEND_STORAGE_STORAGE_READER_CLIENT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/logs/root_program_log.h"
#include "backend/storage/storage_reader.h"
#include "common/availability.h"
#include "common/config/config.h"
#include "common/metrics/operation_meter.h"

namespace carme::backend {

struct StorageReaderClientConfig {
  std::string socket = "/run/carme-storage-reader/socket";
  // Time limit of one reading; 5 to 600 s. More than the storage reader's
  // area_timeout_s and ten seconds, so that the storage reader reports what
  // happened.
  absl::Duration timeout = absl::Seconds(30);
};

// Reads the table [storage_reader] of `root`; errors appear in the file's
// Finish().
StorageReaderClientConfig ReadStorageReaderClientConfig(ConfigTable root);

// Thread-safe. Each call uses its own connection, so a restart of the storage
// reader needs no reconnection.
class StorageReaderClient : public StorageReader {
 public:
  // Failures are entered into `logs`, unless it is null.
  explicit StorageReaderClient(StorageReaderClientConfig config,
                               ServiceLog* logs = nullptr);
  absl::StatusOr<std::vector<StorageArea>> ReadStorageAsUser(
      const PosixUser& user, const std::string& request_id) override;

  // Whether the storage reader responds, as of its last use; the response
  // itself does not matter.
  const Availability& availability() const { return availability_; }
  // Readings by status code.
  const OperationMeter& operations() const { return operations_; }
  // If it was not used within the last minute: connects without a request.
  // Blocks for at most three seconds.
  void ProbeIdle();

 private:
  const StorageReaderClientConfig config_;
  const RootProgramLog log_;
  Availability availability_;
  OperationMeter operations_{{"read"}};
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_STORAGE_STORAGE_READER_CLIENT_H_
