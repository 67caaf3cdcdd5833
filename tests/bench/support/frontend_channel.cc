#include "tests/bench/support/frontend_channel.h"

#include <cstdio>
#include <cstdlib>

#include "common/file.h"

namespace carme {

std::shared_ptr<grpc::Channel> NewFrontendChannel(const std::string& address,
                                                  const std::string& pki) {
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = ReadFile(pki + "/ca.pem").value();
  options.pem_cert_chain = ReadFile(pki + "/frontend.pem").value();
  options.pem_private_key = ReadFile(pki + "/frontend.key").value();
  grpc::ChannelArguments arguments;
  arguments.SetSslTargetNameOverride("carme-backend");
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(address, grpc::SslCredentials(options),
                                   arguments);
}

void CheckCall(const grpc::Status& status, const char* what) {
  if (status.ok()) return;
  std::fprintf(stderr, "bench: %s: %d %s\n", what, status.error_code(),
               status.error_message().c_str());
  std::exit(1);
}

}  // namespace carme
