#include "slurm-hooks/agent/agent_credential.h"

#include <catch2/catch.hpp>

#include "carme/v1/agent.pb.h"
#include "common/encoding.h"
#include "common/hash.h"

namespace carme::agent {
namespace {

TEST_CASE("agent credential: another method, request or field is another one",
          "[agent]") {
  carme::v1::RegisterRequest request;
  request.set_slurm_job_id(7);
  const std::string payload = CredentialPayload("/a", request);
  CHECK(CredentialPayload("/b", request) != payload);
  request.set_slurm_job_id(8);
  CHECK(CredentialPayload("/a", request) != payload);
  request.set_slurm_job_id(7);
  request.set_port(1);
  CHECK(CredentialPayload("/a", request) != payload);
}

// The backend computes the same; this is the form both agree on.
TEST_CASE("agent credential: the payload is the hash of name, zero, bytes",
          "[agent]") {
  carme::v1::RegisterRequest request;
  request.set_slurm_job_id(7);
  request.set_port(34000);
  const std::string bytes(
      "/carme.v1.AgentService/Register\0\x10\x07\x20\xd0\x89"
      "\x02",
      38);
  CHECK(HexEncode(CredentialPayload("/carme.v1.AgentService/Register",
                                    request)) == HexEncode(Sha256(bytes)));
}

}  // namespace
}  // namespace carme::agent
