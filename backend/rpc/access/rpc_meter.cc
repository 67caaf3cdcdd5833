#include "backend/rpc/access/rpc_meter.h"

#include <grpcpp/support/server_interceptor.h>
#include <grpcpp/support/status.h>

#include <algorithm>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace carme::backend {
namespace {

using grpc::experimental::InterceptionHookPoints;
using grpc::experimental::ServerRpcInfo;

constexpr char kPrefix[] = "/carme.v1.";
constexpr size_t kMaxCode = 16;

// Sorted, so that the output does not depend on the table's order.
std::vector<std::string> PathsOf(const AccessTable& table) {
  std::vector<std::string> paths;
  for (const auto& [path, access] : table) paths.push_back(path);
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<std::string> NamesOf(const AccessTable& table) {
  std::vector<std::string> names;
  for (const std::string& path : PathsOf(table)) {
    names.push_back(std::string(absl::StripPrefix(path, kPrefix)));
  }
  names.emplace_back("unknown");
  return names;
}

size_t ResultOf(grpc::StatusCode code) {
  return std::min(static_cast<size_t>(code), kMaxCode);
}

}  // namespace

// One object a call.
class RpcMeter::CallInterceptor : public grpc::experimental::Interceptor {
 public:
  CallInterceptor(RpcMeter* meter, const ServerRpcInfo& rpc)
      : calls_(meter->calls_),
        kind_(meter->KindOf(rpc.method())),
        is_unary_(rpc.type() == ServerRpcInfo::Type::UNARY),
        began_(absl::Now()) {}
  ~CallInterceptor() override {
    if (!is_counted_) Count(grpc::StatusCode::CANCELLED);
  }

  void Intercept(grpc::experimental::InterceptorBatchMethods* call) override {
    if (call->QueryInterceptionHookPoint(
            InterceptionHookPoints::PRE_SEND_STATUS)) {
      Count(call->GetSendStatus().error_code());
    }
    call->Proceed();
  }

 private:
  void Count(grpc::StatusCode code) {
    is_counted_ = true;
    if (is_unary_) {
      calls_.Count(kind_, ResultOf(code), absl::Now() - began_);
    } else {
      calls_.CountWithoutDuration(kind_, ResultOf(code));
    }
  }

  OperationMeter& calls_;
  const size_t kind_;
  const bool is_unary_;
  const absl::Time began_;
  bool is_counted_ = false;
};

class RpcMeter::CallInterceptorFactory
    : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  explicit CallInterceptorFactory(RpcMeter* meter) : meter_(*meter) {}
  grpc::experimental::Interceptor* CreateServerInterceptor(
      ServerRpcInfo* rpc) override {
    return new CallInterceptor(&meter_, *rpc);
  }

 private:
  RpcMeter& meter_;
};

RpcMeter::RpcMeter(const AccessTable& table) : calls_(NamesOf(table)) {
  size_t kind = 0;
  for (const std::string& path : PathsOf(table)) kinds_[path] = kind++;
}

std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>
RpcMeter::NewInterceptorFactory() {
  return std::make_unique<CallInterceptorFactory>(this);
}

void RpcMeter::CountRefused(std::string_view path, const absl::Status& status) {
  calls_.CountWithoutDuration(KindOf(path), static_cast<size_t>(status.code()));
}

size_t RpcMeter::KindOf(std::string_view path) const {
  const auto found = kinds_.find(absl::string_view(path.data(), path.size()));
  return found == kinds_.end() ? kinds_.size() : found->second;
}

}  // namespace carme::backend
