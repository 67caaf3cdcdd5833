// Accounts of the name service (nsswitch.conf) of this host.
#ifndef CARME_BACKEND_IDENTITY_USERS_NSS_ACCOUNT_H_
#define CARME_BACKEND_IDENTITY_USERS_NSS_ACCOUNT_H_

#include <string>

#include "absl/status/statusor.h"
#include "backend/identity/home_lookup.h"
#include "common/ids.h"

namespace carme::backend {

struct NssAccount {
  std::string name;  // as spelled by the name service
  Uid uid;
  std::string home;
};

// NOT_FOUND: no such account, or the uid belongs to another account.
// UNAVAILABLE: the name service failed. Blocks for the name service.
absl::StatusOr<NssAccount> FindNssAccount(const std::string& name);

// The home directories of these accounts.
class NssHomeLookup : public HomeLookup {
 public:
  absl::StatusOr<std::string> HomeOf(const std::string& username) override;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_USERS_NSS_ACCOUNT_H_
