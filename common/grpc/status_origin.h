// Lets the frontend distinguish a status of the backend from one that gRPC
// created: gRPC uses the same text for both, and describes a broken connection
// as a response of the peer.
#ifndef CARME_COMMON_GRPC_STATUS_ORIGIN_H_
#define CARME_COMMON_GRPC_STATUS_ORIGIN_H_

namespace carme {

// The backend adds this key to the trailing metadata of each call that reached
// a handler. Transports do not add metadata to their own statuses.
inline constexpr char kStatusOriginKey[] = "carme-status-origin";
inline constexpr char kStatusOriginBackend[] = "backend";

}  // namespace carme

#endif  // CARME_COMMON_GRPC_STATUS_ORIGIN_H_
