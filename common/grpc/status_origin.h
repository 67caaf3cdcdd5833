// How the frontend tells a status that the backend returned from one that gRPC
// made: gRPC describes both with the same text, and a broken connection as an
// answer of the peer.
#ifndef CARME_COMMON_GRPC_STATUS_ORIGIN_H_
#define CARME_COMMON_GRPC_STATUS_ORIGIN_H_

namespace carme {

// The backend adds this key to the trailing metadata of each call that reached
// a handler. No transport adds metadata to a status of its own.
inline constexpr char kStatusOriginKey[] = "carme-status-origin";
inline constexpr char kStatusOriginBackend[] = "backend";

}  // namespace carme

#endif  // CARME_COMMON_GRPC_STATUS_ORIGIN_H_
