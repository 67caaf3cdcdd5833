// gRPC's own lines in the form of ours.
#ifndef CARME_COMMON_GRPC_LOG_H_
#define CARME_COMMON_GRPC_LOG_H_

namespace carme {

// From now on what gRPC reports becomes lines of this program's log; by
// itself gRPC reports errors alone. Call once, before the first use of gRPC.
void TakeGrpcLog();

}  // namespace carme

#endif  // CARME_COMMON_GRPC_LOG_H_
