// The history of nodes for administrators, and the runs of `carme vet` that
// they record.
#ifndef CARME_BACKEND_RPC_NODES_NODE_HISTORY_SERVICE_H_
#define CARME_BACKEND_RPC_NODES_NODE_HISTORY_SERVICE_H_

#include <memory>

#include "backend/audit/audit_log.h"
#include "backend/node_history/node_history.h"
#include "backend/node_history/node_rule_enforcer.h"
#include "backend/slurm/scheduler.h"

namespace grpc {
class Service;
}

namespace carme::backend {

// All must outlive the service.
struct NodeHistoryParts {
  NodeHistory* history;
  NodeRuleEnforcer* enforcer;
  Scheduler* scheduler;
  AuditLog* audit;
};
std::unique_ptr<grpc::Service> NewNodeHistoryService(
    const NodeHistoryParts& parts);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_NODES_NODE_HISTORY_SERVICE_H_
