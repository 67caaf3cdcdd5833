// The rpcs that a browser may call, from the options in the .proto files.
//
// Immutable and thread-safe.
#ifndef CARME_FRONTEND_GATEWAY_METHOD_TABLE_H_
#define CARME_FRONTEND_GATEWAY_METHOD_TABLE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"

namespace google::protobuf {
class FileDescriptor;
class Message;
class MethodDescriptor;
}  // namespace google::protobuf

namespace carme::frontend {

struct Method {
  std::string path;  // "/carme.v1.JobService/ListJobs"
  bool streams = false;
  bool needs_session = false;
  bool ends_session = false;
  bool identity = false;  // always for the identity backend
  bool metrics = false;   // for carme-metrics
  // May be in a batch: unary, changes nothing and sets no cookie. The name
  // begins with Get or List (docs/adr/0087-proto-conventions.md), and neither
  // the options nor the response contradict it.
  bool reads = false;
  // Prototypes; New() makes a message.
  const google::protobuf::Message* request = nullptr;
  const google::protobuf::Message* response = nullptr;
};

class MethodTable {
 public:
  // INVALID_ARGUMENT: an rpc without the access option, or one for browsers
  // that browsers cannot call.
  static absl::StatusOr<MethodTable> New(
      const std::vector<const google::protobuf::FileDescriptor*>& files);

  // Returns null for rpcs that do not exist and for those that browsers must
  // not call.
  const Method* Find(std::string_view path) const;
  size_t size() const { return methods_.size(); }

 private:
  MethodTable() = default;
  absl::Status Add(const google::protobuf::MethodDescriptor& rpc);
  absl::flat_hash_map<std::string, Method> methods_;
};

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_GATEWAY_METHOD_TABLE_H_
