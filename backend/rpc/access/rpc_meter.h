// Counts all calls by rpc and status code, with the durations of those that are
// no streams.
#ifndef CARME_BACKEND_RPC_ACCESS_RPC_METER_H_
#define CARME_BACKEND_RPC_ACCESS_RPC_METER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "backend/rpc/access/method_registry.h"
#include "common/metrics/operation_meter.h"

namespace grpc::experimental {
class ServerInterceptorFactoryInterface;
}  // namespace grpc::experimental

namespace carme::backend {

// Thread-safe. Must outlive the servers.
class RpcMeter {
 public:
  explicit RpcMeter(const AccessTable& table);

  // Counts the calls that reach their handlers.
  std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>
  NewInterceptorFactory();
  // A call that did not: interceptors do not run for it.
  void CountRefused(std::string_view path, const absl::Status& status);

  // Kinds are "JobService/ListJobs" and so on; "unknown" for paths that are not
  // in the protos.
  const OperationMeter& calls() const { return calls_; }

 private:
  class CallInterceptor;
  class CallInterceptorFactory;
  size_t KindOf(std::string_view path) const;

  absl::flat_hash_map<std::string, size_t> kinds_;  // by path
  OperationMeter calls_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_ACCESS_RPC_METER_H_
