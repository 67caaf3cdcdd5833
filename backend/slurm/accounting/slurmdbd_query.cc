#include "backend/slurm/accounting/slurmdbd_query.h"

#include <slurm/slurmdb.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backend/slurm/accounting/messages.h"
#include "backend/slurm/libslurm/libslurm.h"
#include "backend/slurm/libslurm/slurm_list.h"
#include "backend/slurm/query/translation.h"
#include "common/message.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr int64_t kCpuTres = 1;  // a fixed id of slurmdb
constexpr std::string_view kGpus = "gres/gpu";
constexpr char kNoNodes[] = "None assigned";

struct Connection {
  Connection() {
    uint16_t flags = 0;
    handle = slurmdb_connection_get(&flags);
  }
  ~Connection() {
    if (handle != nullptr) slurmdb_connection_close(&handle);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  void* handle = nullptr;
};

// The list frees its elements with free(). REQUIRES: a trivial destructor.
template <typename Record>
void Append(SlurmList list, const Record& record) {
  void* copy = malloc(sizeof(Record));
  if (copy == nullptr) return;
  slurm_list_append(list, new (copy) Record(record));
}

absl::Status QueryError(std::string_view what) {
  return MakePlainError(
      slurm_accounting_messages::kQueryFailed,
      {{"what", std::string(what)}, {"problem", SlurmErrorText(SlurmErrno())}});
}

std::string Text(const char* text) { return text != nullptr ? text : ""; }

AccountedRun ToRun(const slurmdb_job_rec_t& record,
                   const std::map<int64_t, std::string>& names) {
  AccountedRun run;
  run.id =
      SlurmJobId(record.array_job_id != 0 ? record.array_job_id : record.jobid);
  run.is_array = record.array_job_id != 0;
  if (run.is_array && record.array_task_id != NO_VAL) {
    run.task = record.array_task_id;
  }
  run.waiting_tasks = Text(record.array_task_str);
  run.state = ToState(record.state);
  run.exit_code = ToExitCode(record.exitcode);
  run.cancelled_by = Uid(record.requid);
  if (record.nodes != nullptr && Text(record.nodes) != kNoNodes) {
    run.nodes = ExpandHostlist(record.nodes);
  }
  if (record.start != 0) run.started = absl::FromTimeT(record.start);
  run.uid = Uid(record.uid);
  run.comment = Text(record.derived_es);
  run.account = Text(record.account);
  run.submitted = absl::FromTimeT(record.submit);
  if (record.end != 0) run.ended = absl::FromTimeT(record.end);
  if (record.start != 0 && record.end > record.start) {
    run.elapsed = absl::Seconds(std::max<int64_t>(
        0, record.end - record.start - static_cast<int64_t>(record.suspended)));
  }
  ReadTres(Text(record.tres_alloc_str), names, &run);
  return run;
}

absl::StatusOr<std::map<int64_t, std::string>> LoadTresNames(void* connection) {
  slurmdb_tres_cond_t condition = {};
  const OwnedSlurmList found(slurmdb_tres_get(connection, &condition));
  if (found == nullptr) return QueryError("its TRES");
  std::map<int64_t, std::string> names;
  ForEachRecord<slurmdb_tres_rec_t>(
      found.get(), [&](const slurmdb_tres_rec_t& record) {
        std::string name = Text(record.type);
        if (record.name != nullptr) absl::StrAppend(&name, "/", record.name);
        names[record.id] = std::move(name);
      });
  return names;
}

}  // namespace

std::string AccountedCluster() { return SlurmdbdClusterOfConf(); }

void ReadTres(const std::string& tres,
              const std::map<int64_t, std::string>& names, AccountedRun* run) {
  int typed = 0;
  for (const absl::string_view part : absl::StrSplit(tres, ',')) {
    const std::pair<absl::string_view, absl::string_view> pair =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    int64_t number = 0;
    int count = 0;
    if (!absl::SimpleAtoi(pair.first, &number) ||
        !absl::SimpleAtoi(pair.second, &count) || count < 0) {
      continue;
    }
    const auto found = names.find(number);
    const std::string name = found == names.end() ? "" : found->second;
    if (number == kCpuTres) {
      run->cpus = count;
    } else if (name == kGpus) {
      run->gpus = count;
    } else if (name.starts_with(kGpus) && name[kGpus.size()] == ':') {
      typed += count;
      if (count > 0) run->gpu_types.push_back(name.substr(kGpus.size() + 1));
    }
  }
  // A site may count GPUs by type alone.
  run->gpus = std::max(run->gpus, typed);
}

absl::StatusOr<std::vector<AccountedRun>> QuerySlurmdbd(
    const std::string& cluster, const std::vector<SlurmJobId>& jobs) {
  const Connection connection;
  if (connection.handle == nullptr) return QueryError("a connection");
  ASSIGN_OR_RETURN(const auto names, LoadTresNames(connection.handle));
  // Without job ids slurmdbd would return all jobs.
  if (jobs.empty()) return std::vector<AccountedRun>();
  const OwnedSlurmList steps(slurm_list_create(free));
  for (const SlurmJobId& job : jobs) {
    Append(steps.get(), SelectJob(job.value()));
  }
  const OwnedSlurmList clusters(slurm_list_create(nullptr));
  std::string name = cluster;
  slurm_list_append(clusters.get(), name.data());
  slurmdb_job_cond_t condition = {};
  condition.flags = JOBCOND_FLAG_DUP | JOBCOND_FLAG_NO_STEP |
                    JOBCOND_FLAG_NO_TRUNC | JOBCOND_FLAG_NO_DEFAULT_USAGE;
  condition.db_flags = SLURMDB_JOB_FLAG_NOTSET;
  condition.step_list = steps.get();
  condition.cluster_list = clusters.get();
  const OwnedSlurmList found(slurmdb_jobs_get(connection.handle, &condition));
  if (found == nullptr) return QueryError("jobs");
  std::vector<AccountedRun> runs;
  ForEachRecord<slurmdb_job_rec_t>(found.get(),
                                   [&](const slurmdb_job_rec_t& record) {
                                     runs.push_back(ToRun(record, names));
                                   });
  return runs;
}

}  // namespace carme::backend
