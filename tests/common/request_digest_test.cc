#include "common/protobuf/request_digest.h"

#include <catch2/catch.hpp>

#include "carme/v1/agent.pb.h"
#include "common/crypto/hash.h"
#include "common/encoding.h"

namespace carme {
namespace {

TEST_CASE("request digest: another method, request or field is another one",
          "[common]") {
  carme::v1::RegisterRequest request;
  request.set_slurm_job_id(7);
  const std::string payload = RequestDigest("/a", request);
  CHECK(RequestDigest("/b", request) != payload);
  request.set_slurm_job_id(8);
  CHECK(RequestDigest("/a", request) != payload);
  request.set_slurm_job_id(7);
  request.set_port(1);
  CHECK(RequestDigest("/a", request) != payload);
}

// Agents of one version and backends of another agree on it.
TEST_CASE("request digest: is the hash of name, zero, bytes", "[common]") {
  carme::v1::RegisterRequest request;
  request.set_slurm_job_id(7);
  request.set_port(34000);
  const std::string bytes(
      "/carme.v1.AgentService/Register\0\x10\x07\x20\xd0\x89"
      "\x02",
      38);
  CHECK(HexEncode(RequestDigest("/carme.v1.AgentService/Register", request)) ==
        HexEncode(Sha256(bytes)));
}

}  // namespace
}  // namespace carme
