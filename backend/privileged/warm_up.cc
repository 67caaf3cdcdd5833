#include "backend/privileged/warm_up.h"

#include <google/protobuf/stubs/logging.h>

#include "backend/privileged/account.h"
#include "backend/privileged/outcome.h"
#include "backend/privileged/request.h"

namespace carme::impersonator {

void WarmUp(const ImpersonatorConfig& config) {
  // It would write lines of its own about bytes that are no request.
  google::protobuf::SetLogHandler(nullptr);
  // No such user, so that every source of nsswitch.conf is asked.
  LookUpAccount("carme-nobody", config.policy.allowed_group).IgnoreError();
  privileged::v1::Request request;
  request.mutable_submit()->set_name("x");
  ParseRequest(request.SerializeAsString()).IgnoreError();
  Outcome(privileged::v1::OUTCOME_OK, "").SerializeAsString();
}

}  // namespace carme::impersonator
