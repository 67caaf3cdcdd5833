// The services that the portal knows.
#ifndef CARME_FRONTEND_GATEWAY_PORTAL_SERVICES_H_
#define CARME_FRONTEND_GATEWAY_PORTAL_SERVICES_H_

#include <vector>

namespace google::protobuf {
class FileDescriptor;
}

namespace carme::frontend {

// Every file of proto/carme/v1 that declares a service. A new file is named
// here once; what a browser may call in it is the file's own business.
std::vector<const google::protobuf::FileDescriptor*> PortalServiceFiles();

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_GATEWAY_PORTAL_SERVICES_H_
