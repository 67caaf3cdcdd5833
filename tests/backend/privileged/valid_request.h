// A request that is right in every field, to spoil one at a time.
#ifndef CARME_TESTS_BACKEND_PRIVILEGED_VALID_REQUEST_H_
#define CARME_TESTS_BACKEND_PRIVILEGED_VALID_REQUEST_H_

#include "carme/privileged/v1/privileged.pb.h"

namespace carme::impersonator {

inline privileged::v1::Request ValidSubmit() {
  privileged::v1::Request request;
  request.set_request_id("r1");
  request.set_user("ada");
  request.set_uid(20001);
  privileged::v1::Submit* submit = request.mutable_submit();
  submit->set_carme_job_id("abcdefghijklmno1");
  submit->set_name("first try");
  submit->set_partition("main");
  submit->set_nodes(1);
  submit->set_gpus_per_node(1);
  submit->set_cpus_per_node(1);
  submit->set_memory_per_node_mib(200);
  submit->set_walltime_min(5);
  return request;
}

inline privileged::v1::Request ValidEstimateStart() {
  privileged::v1::Request request = ValidSubmit();
  const privileged::v1::Submit submit = request.submit();
  *request.mutable_estimate_start() = submit;
  return request;
}

inline privileged::v1::Request ValidCancel() {
  privileged::v1::Request request = ValidSubmit();
  request.mutable_cancel()->set_slurm_job_id(7);
  request.mutable_cancel()->set_carme_job_id("abcdefghijklmno1");
  return request;
}

inline privileged::v1::Request ValidUpdate() {
  privileged::v1::Request request = ValidSubmit();
  request.mutable_update()->set_slurm_job_id(7);
  request.mutable_update()->set_carme_job_id("abcdefghijklmno1");
  request.mutable_update()->set_walltime_min(3);
  return request;
}

inline privileged::v1::Request ValidReturnNodes() {
  privileged::v1::Request request = ValidSubmit();
  request.mutable_return_nodes()->set_slurm_job_id(7);
  request.mutable_return_nodes()->set_carme_job_id("abcdefghijklmno1");
  request.mutable_return_nodes()->add_nodes("n2");
  return request;
}

inline privileged::v1::Request ValidReadLog() {
  privileged::v1::Request request = ValidSubmit();
  request.mutable_read_log()->set_carme_job_id("abcdefghijklmno1");
  request.mutable_read_log()->set_max_bytes(64 * 1024);
  return request;
}

inline privileged::v1::Request ValidReserve() {
  privileged::v1::Request request = ValidSubmit();
  privileged::v1::Reserve* reserve = request.mutable_reserve();
  reserve->set_name("carme-abcdefghijklmno1");
  reserve->set_partition("main");
  reserve->set_nodes(1);
  reserve->set_start_unix_s(2000000000);
  reserve->set_minutes(60);
  reserve->add_users("ada");
  reserve->add_users("bob");
  return request;
}

inline privileged::v1::Request ValidReserveForMaintenance() {
  privileged::v1::Request request = ValidSubmit();
  privileged::v1::ReserveForMaintenance* reserve =
      request.mutable_reserve_for_maintenance();
  reserve->set_name("carme-abcdefghijklmno1");
  reserve->set_start_unix_s(2000000000);
  return request;
}

inline privileged::v1::Request ValidDrain() {
  privileged::v1::Request request = ValidSubmit();
  privileged::v1::SetNodeState* change = request.mutable_set_node_state();
  change->add_nodes("n1");
  change->set_action(privileged::v1::NODE_ACTION_DRAIN);
  change->set_reason("fan of GPU 3");
  return request;
}

inline privileged::v1::Request ValidExtend() {
  privileged::v1::Request request = ValidSubmit();
  request.mutable_extend()->set_slurm_job_id(7);
  request.mutable_extend()->set_carme_job_id("abcdefghijklmno1");
  request.mutable_extend()->set_walltime_min(60);
  return request;
}

inline privileged::v1::Request ValidUnreserve() {
  privileged::v1::Request request = ValidSubmit();
  request.mutable_unreserve()->set_name("carme-abcdefghijklmno1");
  return request;
}

}  // namespace carme::impersonator

#endif  // CARME_TESTS_BACKEND_PRIVILEGED_VALID_REQUEST_H_
