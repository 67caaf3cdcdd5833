// Conversion between plain values and messages of carme.v1.
#ifndef CARME_BACKEND_JOBS_MODEL_JOB_PROTO_H_
#define CARME_BACKEND_JOBS_MODEL_JOB_PROTO_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/jobs/model/job.h"
#include "backend/policy/spec/violation.h"

namespace google::protobuf {
class Duration;
class Timestamp;
}  // namespace google::protobuf

namespace carme::v1 {
class Job;
class JobSpec;
class Violation;
}  // namespace carme::v1

namespace carme::backend {

void Fill(absl::Duration duration, google::protobuf::Duration* message);
void Fill(absl::Time time, google::protobuf::Timestamp* message);
void Fill(const JobSpec& spec, v1::JobSpec* message);
void Fill(const Job& job, v1::Job* message);
void FillApps(const std::vector<JobApp>& apps, v1::Job* message);
void Fill(const Violation& violation, v1::Violation* message);

// Accepts any message; the policy checks the result.
JobSpec SpecOf(const v1::JobSpec& message);

// The stored form of a spec. INTERNAL: invalid bytes.
std::string SerializeSpec(const JobSpec& spec);
absl::StatusOr<JobSpec> ParseSpec(std::string_view bytes);
// The stored form of the fields without a column: apps, and the log and advice
// of a failed job.
std::string SerializeDetails(const Job& job);
absl::Status ParseDetails(std::string_view bytes, Job* job);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_MODEL_JOB_PROTO_H_
