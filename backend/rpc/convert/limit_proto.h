// Conversion between limits and messages of carme.v1.
#ifndef CARME_BACKEND_RPC_CONVERT_LIMIT_PROTO_H_
#define CARME_BACKEND_RPC_CONVERT_LIMIT_PROTO_H_

#include "backend/policy/limits/quota.h"
#include "carme/v1/limit.pb.h"

namespace carme::backend {

void Fill(const QuotaRule& rule, v1::LimitRule* message);
// Accepts any message, without what the backend sets; quotas/rule_check.h
// checks it. Drops fractions of a second.
QuotaRule RuleOf(const v1::LimitRule& message);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_CONVERT_LIMIT_PROTO_H_
