#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "backend/jobs/jobs.h"
#include "backend/rpc/services/services.h"
#include "backend/slurm/scheduler.h"
#include "carme/v1/cluster.grpc.pb.h"
#include "tests/backend/rpc/job_calls.h"
#include "tests/support/grpc_status_matchers.h"

namespace carme::backend {
namespace {

class Served : public JobCalls {
 public:
  Served() {
    Serve(NewClusterService(&slurm_, jobs_.get()), "cluster");
    stub_ = v1::ClusterService::NewStub(AsFrontend());
  }
  v1::GetClusterResponse Get(const std::string& name) {
    CallBy call(name);
    v1::GetClusterResponse response;
    REQUIRE_THAT(stub_->GetCluster(&call, {}, &response), IsOk());
    return response;
  }
  std::unique_ptr<v1::ClusterService::Stub> stub_;
};

TEST_CASE("cluster service: returns since when Slurm is unreachable",
          "[backend]") {
  Served served;
  served.slurm_.set_reachable(false);
  served.clock_.Advance(absl::Minutes(1));
  served.slurm_.Poll();
  const v1::GetClusterResponse cluster = served.Get("ada");
  CHECK_FALSE(cluster.slurm().reachable());
  CHECK(cluster.slurm().has_since());
  CHECK(cluster.gpu_types_size() == 2);  // what was known stays
}

TEST_CASE("cluster service: counts GPUs by type on Carme's nodes",
          "[backend]") {
  Served served;
  const v1::GetClusterResponse cluster = served.Get("ada");
  CHECK(cluster.name() == "test");
  REQUIRE(cluster.gpu_types_size() == 2);
  const v1::GpuType& a100 = cluster.gpu_types(0);
  CHECK(a100.type() == "a100");
  CHECK(a100.total() == 8);  // the node without the feature has 16 more
  CHECK(a100.free() == 8);
  CHECK(a100.max_per_node() == 4);
  CHECK(a100.partitions_size() == 1);
  CHECK(cluster.cpus().total() == 64 + 64 + 32 + 128 + 8);
  REQUIRE(cluster.partitions_size() == 3);
  CHECK(cluster.partitions(0).nodes() == 3);
  CHECK(cluster.partitions(0).max_walltime().seconds() == 8 * 3600);
  CHECK_FALSE(cluster.partitions(1).has_max_walltime());
  CHECK_FALSE(cluster.partitions(2).up());
  CHECK(cluster.apps(0).name() == "Jupyter");
}

TEST_CASE("cluster service: shows the caller's limits and use", "[backend]") {
  Served served;
  served.Submit(served.ada_).IgnoreError();
  const v1::Limits ada = served.Get("ada").limits();
  CHECK(ada.max_gpus_per_job() == 4);
  CHECK(ada.source() == "role user");
  CHECK(ada.jobs_now() == 1);
  const v1::Limits carol = served.Get("carol").limits();
  CHECK(carol.max_gpus_per_job() == 0);
  CHECK(carol.source() == "role admin");
  CHECK(carol.jobs_now() == 0);
}

}  // namespace
}  // namespace carme::backend
