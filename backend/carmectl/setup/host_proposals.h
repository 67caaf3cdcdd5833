// Proposals for answers, found on this host: Slurm, the name service's
// configuration of the directory, and host names. Passwords are never read.
#ifndef CARME_BACKEND_CARMECTL_SETUP_HOST_PROPOSALS_H_
#define CARME_BACKEND_CARMECTL_SETUP_HOST_PROPOSALS_H_

#include <string>
#include <vector>

#include "backend/carmectl/doctor/host/name_resolver.h"
#include "backend/carmectl/doctor/host/tool_runner.h"
#include "backend/carmectl/setup/site/site_answers.h"

namespace carme::carmectl {

struct ProposalSources {
  std::string system_root;  // a tree that replaces /etc
  const ToolRunner* tools;
  const NameResolver* resolver;
};

struct HostProposals {
  SiteAnswers answers;
  std::vector<std::string> notes;  // what was found, or cannot be read; lines
};

// Blocks for names and commands. A file that is missing or cannot be read gives
// no proposals. The values have not been checked.
HostProposals FindProposals(const ProposalSources& sources);

// Addresses as networks: unchanged if there are at most 16, else the /24
// networks of IPv4 addresses. Sorted, each once.
std::vector<std::string> SummarizeAddresses(
    const std::vector<std::string>& addresses);

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_SETUP_HOST_PROPOSALS_H_
