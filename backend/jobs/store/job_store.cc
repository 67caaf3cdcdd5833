#include "backend/jobs/store/job_store.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "backend/jobs/feeds/job_notifications.h"
#include "backend/jobs/model/job_proto.h"
#include "backend/jobs/state/array_state_machine.h"
#include "backend/jobs/state/job_state_machine.h"
#include "backend/notifications/event.h"
#include "backend/quotas/usage_table.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr char kColumns[] =
    "id, owner, owner_uid, spec, state, reason, ending, slurm_job_id, nodes, "
    "exit_code, agent_address, agent_port, created_at, started_at, ready_at, "
    "ends_at, ended_at, apps, tasks, slurm_submitted_at, gpu_time, cpu_time, "
    "default_qos, sized_at, sized_gpus, sized_cpus";

std::string SelectWhere(absl::string_view rest) {
  return absl::StrCat("SELECT ", kColumns, " FROM jobs ", rest);
}

void BindTime(Statement& statement, int index,
              const std::optional<absl::Time>& time) {
  if (time) {
    statement.Bind(index, absl::ToUnixMicros(*time));
  } else {
    statement.BindNull(index);
  }
}

std::optional<absl::Time> TimeAt(const Statement& row, int column) {
  if (row.IsNull(column)) return std::nullopt;
  return absl::FromUnixMicros(row.Int(column));
}

absl::StatusOr<Job> JobAt(const Statement& row) {
  Job job;
  job.id = JobId(row.Text(0));
  job.owner = row.Text(1);
  job.owner_uid = Uid(static_cast<uint32_t>(row.Int(2)));
  ASSIGN_OR_RETURN(job.spec, ParseSpec(row.Blob(3)));
  job.state = static_cast<JobState>(row.Int(4));
  job.reason = row.Text(5);
  job.end = static_cast<JobEnd>(row.Int(6));
  job.slurm_id = SlurmJobId(static_cast<uint32_t>(row.Int(7)));  // null: 0
  job.nodes = absl::StrSplit(row.Text(8), ',', absl::SkipEmpty());
  job.exit_code = static_cast<int>(row.Int(9));
  job.agent = {row.Text(10), static_cast<int>(row.Int(11))};
  job.created_at = absl::FromUnixMicros(row.Int(12));
  job.started_at = TimeAt(row, 13);
  job.ready_at = TimeAt(row, 14);
  job.ends_at = TimeAt(row, 15);
  job.ended_at = TimeAt(row, 16);
  RETURN_IF_ERROR(ParseDetails(row.Blob(17), &job));
  ASSIGN_OR_RETURN(job.array, ParseJobArray(row.Text(18)));
  job.slurm_submitted_at = TimeAt(row, 19);
  job.spent = {.gpus = absl::Microseconds(row.Int(20)),
               .cpus = absl::Microseconds(row.Int(21))};
  job.default_qos = row.Text(22);
  if (const auto since = TimeAt(row, 23)) {
    job.sized =
        JobSized{.since = *since, .gpus = row.Int(24), .cpus = row.Int(25)};
  }
  return job;
}

absl::StatusOr<std::vector<Job>> ReadAll(Statement& rows) {
  std::vector<Job> jobs;
  while (true) {
    ASSIGN_OR_RETURN(const bool more, rows.Step());
    if (!more) return jobs;
    ASSIGN_OR_RETURN(Job job, JobAt(rows));
    jobs.push_back(std::move(job));
  }
}

// The changing part of a row, as parameters 1 to 21.
void BindState(Statement& statement, const Job& job) {
  statement.Bind(1, static_cast<int64_t>(job.state))
      .Bind(2, job.reason)
      .Bind(3, static_cast<int64_t>(job.end))
      .Bind(5, absl::StrJoin(job.nodes, ","))
      .Bind(6, static_cast<int64_t>(job.exit_code))
      .Bind(7, job.agent.address)
      .Bind(8, static_cast<int64_t>(job.agent.port));
  if (InSlurm(job)) {
    statement.Bind(4, static_cast<int64_t>(job.slurm_id.value()));
  } else {
    statement.BindNull(4);
  }
  BindTime(statement, 9, job.started_at);
  BindTime(statement, 10, job.ready_at);
  BindTime(statement, 11, job.ends_at);
  BindTime(statement, 12, job.ended_at);
  statement.BindBlob(13, SerializeDetails(job));
  statement.Bind(14, SerializeArray(job.array));
  BindTime(statement, 15, job.slurm_submitted_at);
  statement.Bind(16, absl::ToInt64Microseconds(job.spent.gpus))
      .Bind(17, absl::ToInt64Microseconds(job.spent.cpus))
      .Bind(18, job.default_qos);
  const JobSized sized = job.sized.value_or(JobSized());
  BindTime(statement, 19,
           job.sized ? std::optional(sized.since) : std::nullopt);
  statement.Bind(20, sized.gpus).Bind(21, sized.cpus);
}

JobUsage UsageOf(const Job& job) {
  JobUse use = UseOf(job.spec);
  const std::optional<JobSized> run =
      IsArray(job) ? std::nullopt : CurrentRunOf(job);
  // The row may have the spec of an earlier poll.
  if (HasEnded(job) && run) use.gpus = run->gpus;
  return {.job = job.id,
          .uid = job.owner_uid,
          .project = job.spec.project,
          .use = use,
          .created_at = job.created_at,
          .started_at = run ? std::optional(run->since) : job.started_at,
          .ends_at = job.ends_at,
          .ended_at = job.ended_at,
          .spent = job.spent.gpus,
          .was_submitted = job.end != v1::JOB_END_NOT_SUBMITTED};
}

absl::StatusOr<std::optional<Job>> FindByKey(Database& database,
                                             const std::string& owner,
                                             const std::string& key) {
  if (key.empty()) return std::nullopt;
  ASSIGN_OR_RETURN(
      Statement rows,
      database.Prepare(SelectWhere("WHERE owner = ? AND idempotency_key = ?")));
  rows.Bind(1, owner).Bind(2, key);
  ASSIGN_OR_RETURN(const bool found, rows.Step());
  if (!found) return std::nullopt;
  ASSIGN_OR_RETURN(Job job, JobAt(rows));
  return job;
}

// Whether the key was used for the same request. Rows of older versions have no
// digest.
absl::Status CheckSameRequest(Database& database, const JobId& id,
                              const std::string& digest) {
  ASSIGN_OR_RETURN(
      Statement row,
      database.Prepare("SELECT request_digest FROM jobs WHERE id = ?"));
  ASSIGN_OR_RETURN(const bool found, row.Bind(1, id.value()).Step());
  if (!found || row.IsNull(0) || row.Blob(0) == digest) return absl::OkStatus();
  return absl::AlreadyExistsError(
      absl::StrCat("the idempotency key was already used for another job, \"",
                   id.value(), "\": use a new key for a new spec"));
}

absl::StatusOr<int> CountLive(Database& database, const std::string& owner) {
  ASSIGN_OR_RETURN(Statement rows,
                   database.Prepare("SELECT count(*) FROM jobs WHERE owner = ? "
                                    "AND ended_at IS NULL"));
  RETURN_IF_ERROR(rows.Bind(1, owner).Step().status());
  return static_cast<int>(rows.Int(0));
}

absl::Status InsertRow(Database& database, const Job& job,
                       const std::string& key,
                       const std::string& request_digest) {
  ASSIGN_OR_RETURN(
      Statement insert,
      database.Prepare(
          "INSERT INTO jobs (state, reason, ending, slurm_job_id, nodes, "
          "exit_code, agent_address, agent_port, started_at, ready_at, "
          "ends_at, ended_at, apps, tasks, slurm_submitted_at, gpu_time, "
          "cpu_time, default_qos, sized_at, sized_gpus, sized_cpus, id, owner, "
          "owner_uid, spec, created_at, idempotency_key, request_digest) "
          "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
          "?, ?, ?, ?, ?, ?, ?, ?)"));
  BindState(insert, job);
  insert.Bind(22, job.id.value())
      .Bind(23, job.owner)
      .Bind(24, static_cast<int64_t>(job.owner_uid.value()))
      .BindBlob(25, SerializeSpec(job.spec))
      .Bind(26, absl::ToUnixMicros(job.created_at));
  if (key.empty()) {
    insert.BindNull(27);
  } else {
    insert.Bind(27, key);
  }
  if (key.empty() || request_digest.empty()) {
    insert.BindNull(28);
  } else {
    insert.BindBlob(28, request_digest);
  }
  return insert.Run();
}

absl::Status InsertEnvironment(Database& database, const JobId& job,
                               const RenderedEnvironment& environment) {
  if (environment.rendered.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(
      Statement insert,
      database.Prepare("INSERT INTO job_environments (job, rendered, "
                       "image, image_sha256) VALUES (?, ?, ?, ?)"));
  return insert.Bind(1, job.value())
      .Bind(2, environment.rendered)
      .Bind(3, environment.image)
      .Bind(4, environment.image_sha256)
      .Run();
}

// Notifies the owner of changes against the stored row, in the transaction that
// writes them.
absl::Status TellNews(Database& database, const Job& job) {
  ASSIGN_OR_RETURN(Statement row,
                   database.Prepare("SELECT ready_at, ended_at FROM jobs "
                                    "WHERE id = ?"));
  ASSIGN_OR_RETURN(const bool found, row.Bind(1, job.id.value()).Step());
  if (!found) return absl::OkStatus();
  for (const JobNotification& news :
       NotificationsFor(TimeAt(row, 0), !row.IsNull(1), job)) {
    RETURN_IF_ERROR(PostEvent(database, news.event, news.at));
  }
  return absl::OkStatus();
}

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

// Writes what Carme saw of a job that has ended to the table `history`, which
// outlives the row in `jobs`; what Slurm's accounting has reported of it stays.
// REQUIRES: in the body of a transaction or query; the job has ended.
absl::Status WriteHistory(Database& db, const Job& job) {
  const JobSpec& spec = job.spec;
  const absl::Time ended = job.ended_at.value_or(job.created_at);
  // The runs of an array are those of its tasks, which have all ended.
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

}  // namespace

absl::StatusOr<JobStore::Inserted> JobStore::Insert(
    const std::string& owner, const std::string& key, const Admit& admit,
    const RenderedEnvironment& environment, const std::string& request_digest) {
  Inserted inserted;
  const auto insert = [&](Database& self) -> absl::Status {
    ASSIGN_OR_RETURN(std::optional<Job> earlier, FindByKey(self, owner, key));
    if (earlier) {
      inserted.job = std::move(*earlier);
      return CheckSameRequest(self, inserted.job.id, request_digest);
    }
    ASSIGN_OR_RETURN(const int live_jobs, CountLive(self, owner));
    ASSIGN_OR_RETURN(inserted.job, admit(live_jobs));
    inserted.fresh = true;
    RETURN_IF_ERROR(InsertRow(self, inserted.job, key, request_digest));
    RETURN_IF_ERROR(BeginUsage(self, UsageOf(inserted.job)));
    return InsertEnvironment(self, inserted.job.id, environment);
  };
  RETURN_IF_ERROR(database_->Transact(insert));
  return inserted;
}

absl::Status JobStore::Update(const std::vector<Job>& jobs) {
  return database_->Transact([&](Database& self) -> absl::Status {
    for (const Job& job : jobs) {
      RETURN_IF_ERROR(TellNews(self, job));
      ASSIGN_OR_RETURN(
          Statement update,
          self.Prepare(
              "UPDATE jobs SET state = ?, reason = ?, ending = ?, "
              "slurm_job_id = ?, nodes = ?, exit_code = ?, agent_address = ?, "
              "agent_port = ?, started_at = ?, ready_at = ?, ends_at = ?, "
              "ended_at = ?, apps = ?, tasks = ?, slurm_submitted_at = ?, "
              "gpu_time = ?, cpu_time = ?, default_qos = ?, "
              "sized_at = ?, sized_gpus = ?, sized_cpus = ?, "
              "idempotency_key = iif(?, NULL, idempotency_key), "
              "spec = iif(? OR (? AND slurm_submitted_at IS NULL), ?, spec) "
              "WHERE id = ?"));
      BindState(update, job);
      update
          .Bind(22, int64_t{job.end == v1::JOB_END_NOT_SUBMITTED})
          // As Slurm had it at first and in the end. In between the row may
          // have more walltime than Slurm: that of a recorded extension.
          .Bind(23, int64_t{HasEnded(job)})
          .Bind(24, int64_t{job.slurm_submitted_at.has_value()})
          .BindBlob(25, SerializeSpec(job.spec))
          .Bind(26, job.id.value());
      RETURN_IF_ERROR(update.Run());
      RETURN_IF_ERROR(FollowUsage(self, UsageOf(job)));
      if (HasEnded(job)) RETURN_IF_ERROR(WriteHistory(self, job));
    }
    return absl::OkStatus();
  });
}

absl::StatusOr<Job> JobStore::Find(const JobId& id) {
  Job job;
  RETURN_IF_ERROR(database_->Query([&](Database& self) -> absl::Status {
    ASSIGN_OR_RETURN(Statement rows, self.Prepare(SelectWhere("WHERE id = ?")));
    ASSIGN_OR_RETURN(const bool found, rows.Bind(1, id.value()).Step());
    if (!found) return absl::NotFoundError("no such job");
    ASSIGN_OR_RETURN(job, JobAt(rows));
    return absl::OkStatus();
  }));
  return job;
}

absl::StatusOr<RenderedEnvironment> JobStore::FindEnvironment(const JobId& id) {
  RenderedEnvironment environment;
  RETURN_IF_ERROR(database_->Query([&](Database& self) -> absl::Status {
    ASSIGN_OR_RETURN(Statement row,
                     self.Prepare("SELECT rendered, image, image_sha256 "
                                  "FROM job_environments WHERE job = ?"));
    ASSIGN_OR_RETURN(const bool found, row.Bind(1, id.value()).Step());
    if (!found) return absl::NotFoundError("the job has no environment");
    environment = {row.Text(0), row.Text(1), row.Text(2)};
    return absl::OkStatus();
  }));
  return environment;
}

absl::StatusOr<std::vector<Job>> JobStore::Live() {
  std::vector<Job> jobs;
  RETURN_IF_ERROR(database_->Query([&](Database& self) -> absl::Status {
    ASSIGN_OR_RETURN(Statement rows,
                     self.Prepare(SelectWhere(
                         "WHERE ended_at IS NULL ORDER BY created_at")));
    ASSIGN_OR_RETURN(jobs, ReadAll(rows));
    return absl::OkStatus();
  }));
  return jobs;
}

absl::StatusOr<std::vector<Job>> JobStore::Ended(const std::string& owner,
                                                 int most) {
  std::vector<Job> jobs;
  RETURN_IF_ERROR(database_->Query([&](Database& self) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement rows,
        self.Prepare(SelectWhere("WHERE owner = ? AND ended_at IS NOT NULL "
                                 "ORDER BY created_at DESC LIMIT ?")));
    rows.Bind(1, owner).Bind(2, int64_t{most});
    ASSIGN_OR_RETURN(jobs, ReadAll(rows));
    return absl::OkStatus();
  }));
  return jobs;
}

absl::Status JobStore::CountUsage() {
  return database_->Transact([&](Database& self) -> absl::Status {
    ASSIGN_OR_RETURN(Statement counted,
                     self.Prepare("SELECT EXISTS (SELECT 1 FROM usage_days)"));
    RETURN_IF_ERROR(counted.Step().status());
    if (counted.Int(0) != 0) return absl::OkStatus();
    ASSIGN_OR_RETURN(Statement rows,
                     self.Prepare(SelectWhere("ORDER BY created_at")));
    ASSIGN_OR_RETURN(const std::vector<Job> jobs, ReadAll(rows));
    for (const Job& job : jobs) {
      RETURN_IF_ERROR(BeginUsage(self, UsageOf(job)));
      RETURN_IF_ERROR(FollowUsage(self, UsageOf(job)));
    }
    return absl::OkStatus();
  });
}

absl::Status JobStore::CompleteHistory() {
  return database_->Transact([&](Database& self) -> absl::Status {
    ASSIGN_OR_RETURN(Statement rows,
                     self.Prepare(SelectWhere(
                         "WHERE ended_at IS NOT NULL AND NOT EXISTS (SELECT 1 "
                         "FROM history WHERE history.id = jobs.id)")));
    ASSIGN_OR_RETURN(const std::vector<Job> jobs, ReadAll(rows));
    for (const Job& job : jobs) RETURN_IF_ERROR(WriteHistory(self, job));
    return absl::OkStatus();
  });
}

absl::StatusOr<int64_t> JobStore::Forget(absl::Time before, int most) {
  int64_t forgotten = 0;
  const auto forget = [&](Database& self) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement remove,
        self.Prepare(
            "DELETE FROM jobs WHERE ended_at < ?1 OR id IN "
            "(SELECT id FROM (SELECT id, row_number() OVER "
            "(PARTITION BY owner ORDER BY created_at DESC) AS place "
            "FROM jobs WHERE ended_at IS NOT NULL) WHERE place > ?2)"));
    remove.Bind(1, absl::ToUnixMicros(before)).Bind(2, int64_t{most});
    RETURN_IF_ERROR(remove.Run());
    forgotten = self.Changes();
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(database_->Query(forget));
  return forgotten;
}

}  // namespace carme::backend
