// The agent's one connection to the backend, and whom it takes for the backend.
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
  std::string name;     // the DNS name of its certificate
  std::string ca_file;  // who may have issued it; PEM
};

// Thread-safe. The file with the authorities is looked at before each call, so
// that a site may renew them under running jobs.
class BackendConnection {
 public:
  // NOT_FOUND and others: the authorities cannot be read.
  static absl::StatusOr<std::unique_ptr<BackendConnection>> Open(
      BackendAddress backend);

  // Ask anew for each call.
  std::shared_ptr<grpc::Channel> Get();

  // For a call that got no answer in time: whose move it is.
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
