// A job's metrics as files for other tools. Pure.
#ifndef CARME_BACKEND_METRICS_PAGES_EXPORT_FILES_H_
#define CARME_BACKEND_METRICS_PAGES_EXPORT_FILES_H_

#include <string>
#include <vector>

#include "carme/archive/v1/archive.pb.h"

namespace carme::metrics {

struct ExportedFile {
  std::string name;
  std::string content;
};

// One row for each sample: time_s,node,name,labels,value.
std::vector<ExportedFile> ExportCsv(const archive::v1::JobArchive& archive);

// The directory of gssr-record 2.1: a proc_R.csv for each node with GPUs, and
// proc_0.meta.txt. Fields that were not sampled are left out.
std::vector<ExportedFile> ExportGssr(const archive::v1::JobArchive& archive);

// ClusterCockpit's job archive: meta.json and data.json. A gap is null.
std::vector<ExportedFile> ExportClusterCockpit(
    const archive::v1::JobArchive& archive);

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_PAGES_EXPORT_FILES_H_
