// Which proxies the data path accepts.
#ifndef CARME_SLURM_HOOKS_AGENT_DATA_PATH_PROXY_TRUST_H_
#define CARME_SLURM_HOOKS_AGENT_DATA_PATH_PROXY_TRUST_H_

#include <string>

#include "common/pki/revocations.h"

namespace carme::agent {

// The certificate authority of the proxies. The URI that a certificate must
// contain is checked separately (Registration::proxy).
struct ProxyTrust {
  std::string ca_pem;   // issues the proxies' certificates
  Revocations revoked;  // certificates that the authority revoked
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_DATA_PATH_PROXY_TRUST_H_
