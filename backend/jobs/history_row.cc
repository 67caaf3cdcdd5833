#include "backend/jobs/history_row.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_join.h"
#include "backend/jobs/job_life.h"
#include "backend/jobs/job_proto.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr char kWrite[] =
    "INSERT INTO history (id, owner, owner_uid, project, name, spec, ending, "
    "reason, exit_code, slurm_job_id, nodes, gpu_type, gpus, created_at, "
    "started_at, ended_at, gpu_seconds, cpu_seconds, account, "
    "slurm_submitted_at) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, "
    "?16, ?17, ?18, ?19, ?20) ON CONFLICT (id) DO UPDATE SET ending = ?7, "
    "reason = ?8, exit_code = ?9, slurm_job_id = ?10, nodes = ?11, "
    "started_at = ?15, ended_at = ?16, "
    "gpu_seconds = iif(accounted_at IS NULL, ?17, gpu_seconds), "
    "cpu_seconds = iif(accounted_at IS NULL, ?18, cpu_seconds)";

}  // namespace

absl::Status WriteHistory(Database& db, const Job& job) {
  const JobSpec& spec = job.spec;
  const absl::Time ended = job.ended_at.value_or(job.created_at);
  // The runs of an array are its tasks', which are all over.
  Job spent = job;
  if (const auto run = CurrentRunOf(job); run && !IsArray(job)) {
    CountRun(*run, ended, &spent);
  }
  const int64_t nodes = std::max<int64_t>(spec.nodes, 1);
  const int64_t gpus = nodes * spec.gpus_per_node;
  ASSIGN_OR_RETURN(Statement write, db.Prepare(kWrite));
  write.Bind(1, job.id.value())
      .Bind(2, job.owner)
      .Bind(3, int64_t{job.owner_uid.value()})
      .Bind(4, spec.project)
      .Bind(5, spec.name)
      .BindBlob(6, SerializeSpec(spec))
      .Bind(7, static_cast<int64_t>(job.end))
      .Bind(8, job.reason)
      .Bind(9, int64_t{job.exit_code})
      .Bind(10, int64_t{job.slurm_id.value()})
      .Bind(11, absl::StrJoin(job.nodes, ","))
      .Bind(12, gpus > 0 ? spec.gpu_type : std::string())
      .Bind(13, gpus)
      .Bind(14, absl::ToUnixMicros(job.created_at))
      .Bind(16, absl::ToUnixMicros(ended))
      .Bind(17, absl::ToInt64Seconds(spent.spent.gpus))
      .Bind(18, absl::ToInt64Seconds(spent.spent.cpus));
  write.Bind(19, job.account);
  if (job.slurm_submitted_at) {
    write.Bind(20, absl::ToUnixMicros(*job.slurm_submitted_at));
  } else {
    write.BindNull(20);
  }
  if (job.started_at) {
    write.Bind(15, absl::ToUnixMicros(*job.started_at));
  } else {
    write.BindNull(15);
  }
  return write.Run();
}

}  // namespace carme::backend
