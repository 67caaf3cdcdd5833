// The `access` options of the protos, as one table.
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

// Every file of package carme.v1 in this program.
std::vector<const google::protobuf::FileDescriptor*> RegisteredProtoFiles();

// FAILED_PRECONDITION names every rpc with a fault. Call at start-up, before
// serving. Faults:
// 1. no access option, or no caller in it;
// 2. for the proxy or the agents, and a browser may reach it;
// 3. for support, and its name does not say that it reads;
// 4. a scope that is not in token_scopes.h, or on what is for no person;
// 5. reauthentication is required of others than USER and ADMIN;
// 6. reauthentication and a scope without reauthentication_at_token_creation, or
//    that option without both.
absl::Status CheckMethodRegistry(
    const std::vector<const google::protobuf::FileDescriptor*>& files);
inline absl::Status CheckMethodRegistry() { return CheckMethodRegistry(RegisteredProtoFiles()); }

// By the path of the call, "/carme.v1.JobService/ListJobs".
using AccessTable = absl::flat_hash_map<std::string, v1::Access>;
AccessTable ReadAccessTable(
    const std::vector<const google::protobuf::FileDescriptor*>& files);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_ACCESS_METHOD_REGISTRY_H_
