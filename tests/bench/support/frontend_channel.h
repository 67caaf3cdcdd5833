// A frontend's way to the backend: mutual TLS.
#ifndef CARME_TESTS_BENCH_SUPPORT_FRONTEND_CHANNEL_H_
#define CARME_TESTS_BENCH_SUPPORT_FRONTEND_CHANNEL_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

namespace carme {

// A connection of its own for each channel. `pki` has ca.pem, frontend.pem and
// frontend.key.
std::shared_ptr<grpc::Channel> NewFrontendChannel(const std::string& address,
                                                  const std::string& pki);

// Ends the process where a call has failed; `what` names it.
void CheckCall(const grpc::Status& status, const char* what);

}  // namespace carme

#endif  // CARME_TESTS_BENCH_SUPPORT_FRONTEND_CHANNEL_H_
