// The certificate authority of the agents of running jobs.
#ifndef CARME_BACKEND_JOBS_AGENTS_JOB_CA_H_
#define CARME_BACKEND_JOBS_AGENTS_JOB_CA_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/ids.h"

struct evp_pkey_st;
struct x509_st;

namespace carme::backend {

// Thread-safe after Open. Invariants: a leaf names one job, by its URI and its
// host name; with it an agent serves the proxy and writes samples; only the
// public key of a request is used; name constraints limit the authority to
// names below job.carme and to URIs of jobs.
class JobCa {
 public:
  // Reads `path` (key and certificate, PEM, mode 0600); creates it if it does
  // not exist. PERMISSION_DENIED: others may read it; INVALID_ARGUMENT: it is
  // invalid. Deleting it creates a new authority, and apps of running jobs can
  // no longer be opened.
  static absl::StatusOr<JobCa> Open(const std::string& path, absl::Time now);

  const std::string& certificate_pem() const { return pem_; }

  // A certificate for carme://job/<job> and `<job>.job.carme`, valid from five
  // minutes ago until `until`. INVALID_ARGUMENT: not a request, not signed with
  // its own key, or not P-256.
  absl::StatusOr<std::string> Issue(std::string_view csr_pem, const JobId& job,
                                    absl::Time now, absl::Time until) const;

 private:
  JobCa() = default;
  std::shared_ptr<evp_pkey_st> key_;
  std::shared_ptr<x509_st> certificate_;
  std::string pem_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_AGENTS_JOB_CA_H_
