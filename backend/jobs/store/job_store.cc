#include "backend/jobs/store/job_store.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/jobs/feeds/job_notifications.h"
#include "backend/jobs/model/job_proto.h"
#include "backend/jobs/state/array_state_machine.h"
#include "backend/jobs/state/job_state_machine.h"
#include "backend/jobs/store/messages.h"
#include "backend/jobs/store/resubmission_table.h"
#include "backend/notifications/event.h"
#include "backend/quotas/usage_table.h"
#include "backend/store/row_mapper.h"
#include "common/protobuf/message_error.h"
#include "common/protobuf/text_code.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// What does not change, except the spec.
const RowMapper<Job>& JobKeyColumns() {
  static const auto* const columns = new RowMapper<Job>({
      {"id", &Job::id},
      {"owner", &Job::owner},
      {"owner_uid", &Job::owner_uid},
      ConvertedColumn<Job, Blob>(
          "spec", [](const Job& job) { return Blob{SerializeSpec(job.spec)}; },
          [](const Blob& blob, Job* job) -> absl::Status {
            ASSIGN_OR_RETURN(job->spec, ParseSpec(blob.bytes));
            return absl::OkStatus();
          }),
      {"created_at", &Job::created_at},
  });
  return *columns;
}

// A column of Job::sized, which is absent if the column sized_at is NULL.
Column<Job> SizedColumn(const char* name, int64_t JobSized::*member) {
  return ConvertedColumn<Job, int64_t>(
      name,
      [member](const Job& job) {
        return job.sized ? *job.sized.*member : int64_t{0};
      },
      [member](int64_t value, Job* job) {
        if (job->sized) *job->sized.*member = value;
      });
}

const RowMapper<Job>& JobStateColumns() {
  static const auto* const columns = new RowMapper<Job>({
      {"state", &Job::state},
      {"reason", Member(&Job::reason, &DisplayText::text)},
      {"ending", &Job::end},
      ConvertedColumn<Job, std::optional<SlurmJobId>>(
          "slurm_job_id",
          [](const Job& job) {
            return InSlurm(job) ? std::optional(job.slurm_id) : std::nullopt;
          },
          [](std::optional<SlurmJobId> id, Job* job) {
            job->slurm_id = id.value_or(SlurmJobId());
          }),
      ListColumn<Job>("nodes", &Job::nodes, ','),
      {"exit_code", &Job::exit_code},
      {"agent_address", Member(&Job::agent, &AgentEndpoint::address)},
      {"agent_port", Member(&Job::agent, &AgentEndpoint::port)},
      {"started_at", &Job::started_at},
      {"ready_at", &Job::ready_at},
      {"ends_at", &Job::ends_at},
      {"ended_at", &Job::ended_at},
      ConvertedColumn<Job, Blob>(
          "apps", [](const Job& job) { return Blob{SerializeDetails(job)}; },
          [](const Blob& blob, Job* job) {
            return ParseDetails(blob.bytes, job);
          }),
      ConvertedColumn<Job, std::string>(
          "tasks", [](const Job& job) { return SerializeArray(job.array); },
          [](const std::string& text, Job* job) -> absl::Status {
            ASSIGN_OR_RETURN(job->array, ParseJobArray(text));
            return absl::OkStatus();
          }),
      {"slurm_submitted_at", &Job::slurm_submitted_at},
      DurationColumn<Job>("gpu_time", Member(&Job::spent, &JobSpent::gpus)),
      DurationColumn<Job>("cpu_time", Member(&Job::spent, &JobSpent::cpus)),
      {"default_qos", &Job::default_qos},
      // Before the other columns of Job::sized.
      ConvertedColumn<Job, std::optional<absl::Time>>(
          "sized_at",
          [](const Job& job) {
            return job.sized ? std::optional(job.sized->since) : std::nullopt;
          },
          [](std::optional<absl::Time> since, Job* job) {
            job->sized.reset();
            if (since) job->sized = JobSized{.since = *since};
          }),
      SizedColumn("sized_gpus", &JobSized::gpus),
      SizedColumn("sized_cpus", &JobSized::cpus),
  });
  return *columns;
}

std::string SelectJobs(absl::string_view rest) {
  return absl::StrCat("SELECT ", JobKeyColumns().list(), ", ",
                      JobStateColumns().list(), " FROM jobs ", rest);
}

absl::StatusOr<Job> ReadJob(const Statement& row) {
  Job job;
  RETURN_IF_ERROR(JobKeyColumns().ReadInto(row, 0, &job));
  RETURN_IF_ERROR(
      JobStateColumns().ReadInto(row, JobKeyColumns().size(), &job));
  return job;
}

absl::StatusOr<std::vector<Job>> ReadJobs(Statement& rows) {
  std::vector<Job> jobs;
  while (true) {
    ASSIGN_OR_RETURN(const bool found, rows.Step());
    if (!found) return jobs;
    ASSIGN_OR_RETURN(Job job, ReadJob(rows));
    jobs.push_back(std::move(job));
  }
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
      database.Prepare(SelectJobs("WHERE owner = ? AND idempotency_key = ?")));
  rows.Bind(1, owner).Bind(2, key);
  ASSIGN_OR_RETURN(const bool found, rows.Step());
  if (!found) return std::nullopt;
  ASSIGN_OR_RETURN(Job job, ReadJob(rows));
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
  return MakeError(job_store_messages::kKeyUsed, {{"job", id.value()}});
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
  const RowMapper<Job>& key_columns = JobKeyColumns();
  const RowMapper<Job>& state_columns = JobStateColumns();
  ASSIGN_OR_RETURN(
      Statement insert,
      database.Prepare(absl::StrCat(
          "INSERT INTO jobs (", key_columns.list(), ", ", state_columns.list(),
          ", idempotency_key, request_digest) VALUES (",
          key_columns.parameters(), ", ", state_columns.parameters(),
          ", ?, ?)")));
  int next = key_columns.Bind(insert, job);
  next = state_columns.Bind(insert, job, next);
  const bool has_key = !key.empty();
  BindColumn(insert, next, has_key ? std::optional(key) : std::nullopt);
  BindColumn(insert, next + 1,
             has_key && !request_digest.empty()
                 ? std::optional(Blob{request_digest})
                 : std::nullopt);
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
absl::Status PostNotifications(Database& database, const Job& job) {
  ASSIGN_OR_RETURN(Statement row,
                   database.Prepare("SELECT ready_at, ended_at FROM jobs "
                                    "WHERE id = ?"));
  ASSIGN_OR_RETURN(const bool found, row.Bind(1, job.id.value()).Step());
  if (!found) return absl::OkStatus();
  std::optional<absl::Time> ready_at;
  RETURN_IF_ERROR(ReadColumn(row, 0, &ready_at));
  for (const JobNotification& news :
       NotificationsFor(ready_at, !row.IsNull(1), job)) {
    RETURN_IF_ERROR(PostEvent(database, news.event, news.at));
  }
  return absl::OkStatus();
}

constexpr char kWriteHistory[] =
    "INSERT INTO history (id, owner, owner_uid, project, name, spec, ending, "
    "reason, exit_code, slurm_job_id, nodes, gpu_type, gpus, created_at, "
    "started_at, ended_at, gpu_seconds, cpu_seconds, account, "
    "slurm_submitted_at, reason_code) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, "
    "?16, ?17, ?18, ?19, ?20, ?21) ON CONFLICT (id) DO UPDATE SET ending = ?7, "
    "reason = ?8, reason_code = ?21, exit_code = ?9, slurm_job_id = ?10, nodes "
    "= ?11, "
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
  ASSIGN_OR_RETURN(Statement write, db.Prepare(kWriteHistory));
  write.Bind(1, job.id.value())
      .Bind(2, job.owner)
      .Bind(3, int64_t{job.owner_uid.value()})
      .Bind(4, spec.project)
      .Bind(5, spec.name)
      .BindBlob(6, SerializeSpec(spec))
      .Bind(7, static_cast<int64_t>(job.end))
      .Bind(8, job.reason.text)
      .Bind(9, int64_t{job.exit_code})
      .Bind(10, int64_t{job.slurm_id.value()})
      .Bind(11, absl::StrJoin(job.nodes, ","))
      .Bind(12, gpus > 0 ? spec.gpu_type : std::string())
      .Bind(13, gpus)
      .Bind(14, absl::ToUnixMicros(job.created_at))
      .Bind(16, absl::ToUnixMicros(ended))
      .Bind(17, absl::ToInt64Seconds(spent.spent.gpus))
      .Bind(18, absl::ToInt64Seconds(spent.spent.cpus));
  write.Bind(19, job.account).BindBlob(21, SerializeTextCode(job.reason));
  BindColumn(write, 20, job.slurm_submitted_at);
  BindColumn(write, 15, job.started_at);
  return write.Run();
}

absl::StatusOr<Job> FindRow(Database& db, const JobId& id) {
  ASSIGN_OR_RETURN(Statement rows, db.Prepare(SelectJobs("WHERE id = ?")));
  ASSIGN_OR_RETURN(const bool found, rows.Bind(1, id.value()).Step());
  if (!found) return MakeError(job_store_messages::kNoSuchJob);
  return ReadJob(rows);
}

// Writes the state of an existing job, its notifications, usage and history.
// REQUIRES: in the body of a transaction.
absl::Status UpdateRow(Database& db, const Job& job) {
  static const std::string sql = absl::StrCat(
      "UPDATE jobs SET ", JobStateColumns().assignments(),
      ", idempotency_key = iif(?, NULL, idempotency_key), "
      "spec = iif(? OR (? AND slurm_submitted_at IS NULL), ?, spec) "
      "WHERE id = ?");
  RETURN_IF_ERROR(PostNotifications(db, job));
  ASSIGN_OR_RETURN(Statement update, db.Prepare(sql));
  const int next = JobStateColumns().Bind(update, job);
  update
      .Bind(next, int64_t{job.end == v1::JOB_END_NOT_SUBMITTED})
      // As Slurm had it at first and in the end. In between the row may have
      // more walltime than Slurm: that of a recorded extension.
      .Bind(next + 1, int64_t{HasEnded(job)})
      .Bind(next + 2, int64_t{job.slurm_submitted_at.has_value()})
      .BindBlob(next + 3, SerializeSpec(job.spec))
      .Bind(next + 4, job.id.value());
  RETURN_IF_ERROR(update.Run());
  RETURN_IF_ERROR(FollowUsage(db, UsageOf(job)));
  return HasEnded(job) ? WriteHistory(db, job) : absl::OkStatus();
}

}  // namespace

absl::StatusOr<JobStore::Inserted> JobStore::Insert(
    const std::string& owner, const std::string& key, const Admit& admit,
    const RenderedEnvironment& environment, const std::string& request_digest,
    int resubmissions) {
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
    if (inserted.job.spec.resubmit) {
      RETURN_IF_ERROR(InsertResubmission(
          self, {inserted.job.id, inserted.job.spec, resubmissions}));
    }
    return InsertEnvironment(self, inserted.job.id, environment);
  };
  RETURN_IF_ERROR(database_->Transact(insert));
  return inserted;
}

absl::Status JobStore::Update(const std::vector<Job>& jobs) {
  return database_->Transact([&](Database& self) -> absl::Status {
    for (const Job& job : jobs) RETURN_IF_ERROR(UpdateRow(self, job));
    return absl::OkStatus();
  });
}

absl::StatusOr<Job> JobStore::ChangeEnded(const JobId& id,
                                          const EditEnded& edit) {
  Job job;
  const auto change = [&](Database& self) -> absl::Status {
    ASSIGN_OR_RETURN(job, FindRow(self, id));
    if (!HasEnded(job)) return MakeError(job_store_messages::kNoSuchJob);
    RETURN_IF_ERROR(edit(self, &job));
    return UpdateRow(self, job);
  };
  RETURN_IF_ERROR(database_->Transact(change));
  return job;
}

absl::StatusOr<Job> JobStore::Find(const JobId& id) {
  Job job;
  RETURN_IF_ERROR(database_->Query([&](Database& self) -> absl::Status {
    ASSIGN_OR_RETURN(job, FindRow(self, id));
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
    if (!found) return MakeError(job_store_messages::kNoEnvironment);
    environment = {row.Text(0), row.Text(1), row.Text(2)};
    return absl::OkStatus();
  }));
  return environment;
}

absl::StatusOr<Job> JobStore::InsertFound(const SlurmJob& slurm) {
  Job job;
  const auto insert = [&](Database& self) -> absl::Status {
    ASSIGN_OR_RETURN(Statement user,
                     self.Prepare("SELECT username FROM users WHERE uid = ?"));
    ASSIGN_OR_RETURN(const bool found,
                     user.Bind(1, int64_t{slurm.uid.value()}).Step());
    if (!found) return MakeError(job_store_messages::kUserUnknown);
    job = RecordFromSlurm(slurm, user.Text(0));
    RETURN_IF_ERROR(InsertRow(self, job, "", ""));
    return BeginUsage(self, UsageOf(job));
  };
  RETURN_IF_ERROR(database_->Transact(insert));
  return job;
}

absl::StatusOr<std::vector<RestoreGap>> JobStore::RestoreGaps() {
  std::vector<RestoreGap> gaps;
  const auto read = [&](Database& self) -> absl::Status {
    ASSIGN_OR_RETURN(Statement rows, self.Prepare("SELECT backup_at, "
                                                  "restored_at FROM restores"));
    while (true) {
      ASSIGN_OR_RETURN(const bool found, rows.Step());
      if (!found) return absl::OkStatus();
      gaps.push_back({.backup_at = absl::FromUnixMicros(rows.Int(0)),
                      .restored_at = absl::FromUnixMicros(rows.Int(1))});
    }
  };
  RETURN_IF_ERROR(database_->Query(read));
  return gaps;
}

absl::StatusOr<std::vector<Job>> JobStore::Live() {
  std::vector<Job> jobs;
  RETURN_IF_ERROR(database_->Query([&](Database& self) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement rows,
        self.Prepare(SelectJobs("WHERE ended_at IS NULL ORDER BY created_at")));
    ASSIGN_OR_RETURN(jobs, ReadJobs(rows));
    return absl::OkStatus();
  }));
  return jobs;
}

absl::StatusOr<std::vector<Job>> JobStore::Ended(const std::string& owner,
                                                 int max) {
  std::vector<Job> jobs;
  RETURN_IF_ERROR(database_->Query([&](Database& self) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement rows,
        self.Prepare(SelectJobs("WHERE owner = ? AND ended_at IS NOT NULL "
                                "ORDER BY created_at DESC LIMIT ?")));
    rows.Bind(1, owner).Bind(2, int64_t{max});
    ASSIGN_OR_RETURN(jobs, ReadJobs(rows));
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
                     self.Prepare(SelectJobs("ORDER BY created_at")));
    ASSIGN_OR_RETURN(const std::vector<Job> jobs, ReadJobs(rows));
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
                     self.Prepare(SelectJobs(
                         "WHERE ended_at IS NOT NULL AND NOT EXISTS (SELECT 1 "
                         "FROM history WHERE history.id = jobs.id)")));
    ASSIGN_OR_RETURN(const std::vector<Job> jobs, ReadJobs(rows));
    for (const Job& job : jobs) RETURN_IF_ERROR(WriteHistory(self, job));
    return absl::OkStatus();
  });
}

absl::StatusOr<int64_t> JobStore::DeleteEnded(absl::Time before, int max) {
  int64_t forgotten = 0;
  const auto delete_ended = [&](Database& self) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement remove,
        self.Prepare(
            "DELETE FROM jobs WHERE ended_at < ?1 OR id IN "
            "(SELECT id FROM (SELECT id, row_number() OVER "
            "(PARTITION BY owner ORDER BY created_at DESC) AS place "
            "FROM jobs WHERE ended_at IS NOT NULL) WHERE place > ?2)"));
    remove.Bind(1, absl::ToUnixMicros(before)).Bind(2, int64_t{max});
    RETURN_IF_ERROR(remove.Run());
    forgotten = self.Changes();
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(database_->Query(delete_ended));
  return forgotten;
}

}  // namespace carme::backend
