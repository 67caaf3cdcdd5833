// Who makes a call to a further cluster: statements that the identity backend
// signs. A further cluster never receives a session or an access token.
#ifndef CARME_FRONTEND_CLUSTERS_CLUSTER_ASSERTIONS_H_
#define CARME_FRONTEND_CLUSTERS_CLUSTER_ASSERTIONS_H_

#include <cstdint>
#include <string>
#include <tuple>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "frontend/backend/backend_channel.h"

namespace carme::frontend {

// Thread-safe.
class ClusterAssertions {
 public:
  // The limit of the cache.
  static constexpr size_t kMaxEntries = 4096;

  // `identity` must outlive the object.
  explicit ClusterAssertions(BackendChannel* identity) : identity_(identity) {}

  struct Authorized {
    BackendCall call;     // with an assertion instead of the credential
    bool cached = false;  // the assertion was made for an earlier call
  };
  // Blocks for one call to the identity backend unless the caller's assertion
  // is cached. Its errors: UNAUTHENTICATED means that the session has ended.
  // INTERNAL: it returned no valid assertion.
  absl::StatusOr<Authorized> Authorize(const BackendCall& call,
                                       const std::string& cluster);

  // Forgets the assertions for this session or access token.
  void Drop(const std::string& credential);

 private:
  struct Entry {
    std::string assertion;
    absl::Time expires_at;
  };
  // The digest of the credential, the client's address, the cluster. The
  // identity backend accepts some access tokens from some addresses only.
  using Key = std::tuple<std::string, std::string, std::string>;

  absl::StatusOr<Entry> Create(const BackendCall& call,
                               const std::string& cluster) const;
  void Store(const Key& key, const Entry& entry, uint64_t drops);

  BackendChannel* const identity_;
  absl::Mutex mutex_;
  absl::flat_hash_map<Key, Entry> entries_ ABSL_GUARDED_BY(mutex_);
  // An assertion that was requested before a call of Drop() is not stored.
  uint64_t drops_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_CLUSTERS_CLUSTER_ASSERTIONS_H_
