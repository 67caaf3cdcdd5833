// All that this program can do for a user: one table.
#ifndef CARME_BACKEND_PRIVILEGED_ACTS_H_
#define CARME_BACKEND_PRIVILEGED_ACTS_H_

#include <string>
#include <string_view>

#include "backend/privileged/account.h"
#include "backend/privileged/child.h"
#include "backend/privileged/config.h"
#include "backend/privileged/rate_limits.h"
#include "carme/privileged/v1/privileged.pb.h"

namespace carme::impersonator {

// Called in the child, as the user, or as Slurm's own where the table says so,
// after InitSlurm. `account` is the user's in any case. Calls
// ChildPipe::Begin() right before what cannot be undone.
using Act = privileged::v1::Response (*)(const privileged::v1::Request& request,
                                         const Account& account,
                                         const ImpersonatorConfig& config,
                                         ChildPipe* pipe);

struct Operation {
  privileged::v1::Request::ActCase act_case;
  std::string_view name;  // for the audit line
  // What it is done to, in words without the user's own: for the audit line.
  std::string (*object)(const privileged::v1::Request& request);
  ActKind kind{};          // whose limits it counts in
  bool awaits_go = false;  // of the backend's, after its request
  // Done as Slurm's own user, on the user's behalf: become_operator.h.
  bool as_operator = false;
  bool of_storage = false;  // asked on the socket for storage, and on no other
  bool in_turn = false;     // not while another one such of the user's is done
  Act act = nullptr;
};

// REQUIRES: the request was checked, so that its act is in the table.
const Operation& OperationOf(const privileged::v1::Request& request);

privileged::v1::Response SubmitJob(const privileged::v1::Request& request,
                                   const Account& account,
                                   const ImpersonatorConfig& config,
                                   ChildPipe* pipe);
// Asks Slurm when the job would start that SubmitJob() would submit.
privileged::v1::Response ForeseeJob(const privileged::v1::Request& request,
                                    const Account& account,
                                    const ImpersonatorConfig& config,
                                    ChildPipe* pipe);
privileged::v1::Response CancelJob(const privileged::v1::Request& request,
                                   const Account& account,
                                   const ImpersonatorConfig& config,
                                   ChildPipe* pipe);

privileged::v1::Response UpdateJob(const privileged::v1::Request& request,
                                   const Account& account,
                                   const ImpersonatorConfig& config,
                                   ChildPipe* pipe);
privileged::v1::Response ReadJobLog(const privileged::v1::Request& request,
                                    const Account& account,
                                    const ImpersonatorConfig& config,
                                    ChildPipe* pipe);

// As Slurm's own user, like the next two.
privileged::v1::Response ExtendJob(const privileged::v1::Request& request,
                                   const Account& account,
                                   const ImpersonatorConfig& config,
                                   ChildPipe* pipe);
privileged::v1::Response ReserveNodes(const privileged::v1::Request& request,
                                      const Account& account,
                                      const ImpersonatorConfig& config,
                                      ChildPipe* pipe);
privileged::v1::Response UnreserveNodes(const privileged::v1::Request& request,
                                        const Account& account,
                                        const ImpersonatorConfig& config,
                                        ChildPipe* pipe);

// Storage is read by another process: storage_actor.h. This one refuses.
privileged::v1::Response RefuseStorage(const privileged::v1::Request& request,
                                       const Account& account,
                                       const ImpersonatorConfig& config,
                                       ChildPipe* pipe);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_ACTS_H_
