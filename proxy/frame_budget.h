// What a client may do in vain is counted as on any HTTP/2 connection.
#ifndef CARME_PROXY_FRAME_BUDGET_H_
#define CARME_PROXY_FRAME_BUDGET_H_

#include "common/net/frame_budget.h"

namespace carme::proxy {

using net::FrameBudget;

}  // namespace carme::proxy

#endif  // CARME_PROXY_FRAME_BUDGET_H_
