// The `access` options of the protos, as one table.
#ifndef CARME_BACKEND_RPC_CONTRACT_H_
#define CARME_BACKEND_RPC_CONTRACT_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "carme/v1/access.pb.h"

namespace google::protobuf {
class FileDescriptor;
}

namespace carme {

// Every file of package carme.v1 in this program.
std::vector<const google::protobuf::FileDescriptor*> ContractFiles();

// FAILED_PRECONDITION names every rpc without an access option or without a
// caller in it, and every one for the proxy or the agents that a browser may
// reach. Call at start-up, before serving.
absl::Status CheckContract(
    const std::vector<const google::protobuf::FileDescriptor*>& files);
inline absl::Status CheckContract() { return CheckContract(ContractFiles()); }

// By the path of the call, "/carme.v1.JobService/ListJobs".
using AccessTable = absl::flat_hash_map<std::string, v1::Access>;
AccessTable ReadAccessTable(
    const std::vector<const google::protobuf::FileDescriptor*>& files);

}  // namespace carme

#endif  // CARME_BACKEND_RPC_CONTRACT_H_
