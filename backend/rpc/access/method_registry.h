// The rpcs of the protos and their `access` options.
#ifndef CARME_BACKEND_RPC_ACCESS_METHOD_REGISTRY_H_
#define CARME_BACKEND_RPC_ACCESS_METHOD_REGISTRY_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "carme/v1/access.pb.h"

namespace google::protobuf {
class FileDescriptor;
}

namespace carme::backend {

// Every proto file of package carme.v1 that this program links.
std::vector<const google::protobuf::FileDescriptor*> RegisteredProtoFiles();

// Call at start-up, before serving. FAILED_PRECONDITION lists every rpc with an
// invalid `access` option:
// 1. no option, or no caller in it;
// 2. browser access to an rpc of the proxy, the agents or other backends;
// 3. an rpc for support whose name is not that of a read;
// 4. a scope that token_scopes.h does not list, or a scope of an rpc that is
// not
//    for people;
// 5. required reauthentication, and a caller other than USER and ADMIN;
// 6. required reauthentication and a scope without
//    reauthentication_at_token_creation, or that option without both;
// 7. any_scope of an rpc with a scope, for browsers, not for all users, or with
//    required reauthentication.
absl::Status CheckMethodRegistry(
    const std::vector<const google::protobuf::FileDescriptor*>& files);
inline absl::Status CheckMethodRegistry() {
  return CheckMethodRegistry(RegisteredProtoFiles());
}

// Keyed by the path of the call, "/carme.v1.JobService/ListJobs".
using AccessTable = absl::flat_hash_map<std::string, v1::Access>;
AccessTable ReadAccessTable(
    const std::vector<const google::protobuf::FileDescriptor*>& files);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_ACCESS_METHOD_REGISTRY_H_
