// A short job with a gap, for exports.
#ifndef CARME_TESTS_BACKEND_METRICS_EXPORTED_JOB_H_
#define CARME_TESTS_BACKEND_METRICS_EXPORTED_JOB_H_

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "carme/archive/v1/archive.pb.h"
#include "tests/backend/metrics/samples.h"

namespace carme::metrics {

inline constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

inline void AddExported(const std::string& name, const std::string& node,
                        const std::map<std::string, std::string>& labels,
                        const std::vector<double>& values,
                        archive::v1::JobArchive* archive) {
  archive::v1::ArchivedSeries* series = archive->add_series();
  series->set_name(name);
  series->set_node(node);
  series->mutable_labels()->insert(labels.begin(), labels.end());
  archive::v1::Resolution* points = series->add_resolutions();
  points->set_step_s(10);
  points->set_first_ms(1'700'000'000'500);
  *points->mutable_values() = {values.begin(), values.end()};
}

inline archive::v1::JobArchive ExportedJob() {
  archive::v1::JobArchive archive;
  v1::MeasuredJob* job = archive.mutable_job();
  job->set_job_id(kJob);
  job->set_slurm_job_id(42);
  job->set_name("say \"hi\"");
  job->set_owner("ada");
  job->set_project("climate");
  job->set_partition("gpu");
  job->add_nodes("n1");
  job->set_gpus_per_node(1);
  job->set_cpus_per_node(8);
  job->set_started_at_ms(1'700'000'000'500);
  job->set_ended_at_ms(1'700'000'030'500);
  job->set_result("completed");
  AddExported("carme_job_memory_bytes", "n1", {}, {1024, kGap, 2.5}, &archive);
  AddExported("carme_gpu_power_watts", "n1", {{"gpu", "0"}},
              {100, kGap, 250.125}, &archive);
  AddExported("carme_gpu_energy_joules_total", "n1", {{"gpu", "0"}},
              {1, kGap, 3}, &archive);
  AddExported("carme_gpu_utilization_ratio", "n1", {{"gpu", "0"}},
              {0.5, kGap, 1}, &archive);
  return archive;
}

}  // namespace carme::metrics

#endif  // CARME_TESTS_BACKEND_METRICS_EXPORTED_JOB_H_
