// What the name service (nsswitch.conf) of this host says about a name.
#ifndef CARME_BACKEND_IDENTITY_NSS_ACCOUNT_H_
#define CARME_BACKEND_IDENTITY_NSS_ACCOUNT_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/ids.h"

namespace carme::backend {

struct NssAccount {
  std::string name;  // as the name service writes it
  Uid uid;
  std::string home;
};

// NOT_FOUND: no such account, or its uid is another's. UNAVAILABLE: the name
// service gave no answer. Blocks for as long as that takes.
absl::StatusOr<NssAccount> FindNssAccount(const std::string& name);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_NSS_ACCOUNT_H_
