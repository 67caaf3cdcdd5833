// The .proto files with services of the portal.
#ifndef CARME_FRONTEND_GATEWAY_PORTAL_SERVICES_H_
#define CARME_FRONTEND_GATEWAY_PORTAL_SERVICES_H_

#include <vector>

namespace google::protobuf {
class FileDescriptor;
}

namespace carme::frontend {

// All files of proto/carme/v1 that declare a service. Options in each file
// decide which rpcs browsers may call. Add new files here.
std::vector<const google::protobuf::FileDescriptor*> PortalServiceFiles();

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_GATEWAY_PORTAL_SERVICES_H_
