// The agent's gRPC connection to the backend, and how it verifies the backend.
#ifndef CARME_SLURM_HOOKS_AGENT_CONTROL_BACKEND_CONNECTION_H_
#define CARME_SLURM_HOOKS_AGENT_CONTROL_BACKEND_CONNECTION_H_

#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "common/pki/file_watch.h"

namespace grpc {
class Channel;
}

namespace carme::agent {

struct BackendAddress {
  std::string address;  // host:port
  std::string name;     // DNS name in its certificate
  std::string ca_file;  // PEM file of the authorities that may issue it
};

// Thread-safe. The file with the authorities is checked before each call, so
// that a site can replace it while jobs run.
class BackendConnection {
 public:
  // NOT_FOUND and others: the authorities cannot be read.
  static absl::StatusOr<std::unique_ptr<BackendConnection>> Open(
      BackendAddress backend);

  // Returns the channel for one call. Do not keep it for another.
  std::shared_ptr<grpc::Channel> Get();

  // The error for a call that timed out.
  absl::Status NoConnection() const;

 private:
  explicit BackendConnection(BackendAddress backend);
  absl::Status Read() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const BackendAddress backend_;
  absl::Mutex mutex_;
  FileWatch watch_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<grpc::Channel> channel_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_CONTROL_BACKEND_CONNECTION_H_
