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

// What a job's record does not have, of metrics.toml.
struct ExportNames {
  std::string cluster = "carme";
  std::string subcluster = "main";  // ClusterCockpit's
};

// One row for each sample: time_s,node,name,labels,value. An event is a row of
// the name event:KIND and the value 1, as `carmectl rules test` reads it.
std::vector<ExportedFile> ExportCsv(const archive::v1::JobArchive& archive);

// The directory of gssr-record: a proc_R.csv for each node with GPUs, and
// proc_0.meta.txt. It has all columns, because gssr-analyze stops at a file
// without one of them; what was not sampled is empty.
std::vector<ExportedFile> ExportGssr(const archive::v1::JobArchive& archive,
                                     const ExportNames& names = {});

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_PAGES_EXPORT_FILES_H_
