// Creates the gRPC services of carme-metrics. All pointers outlive the service.
#ifndef CARME_BACKEND_METRICS_SERVER_SERVICES_H_
#define CARME_BACKEND_METRICS_SERVER_SERVICES_H_

#include <memory>

#include "backend/metrics/pages/export_files.h"

namespace grpc {
class Service;
}

namespace carme::metrics {

class DatabaseReader;
class FindingPages;
class JobPages;
class KnownJobs;
class LiveSamples;
class PortalCallers;
class SampleIngest;

// For agents. A caller writes samples of the job of its certificate only.
std::unique_ptr<grpc::Service> NewSampleService(SampleIngest* ingest);

// For the frontend. A person sees jobs whose records they may read.
struct MetricsServiceParts {
  PortalCallers* callers;
  JobPages* pages;
  FindingPages* findings;
  DatabaseReader* reader;
  LiveSamples* live;
  const KnownJobs* jobs;
  ExportNames export_names{};
};
std::unique_ptr<grpc::Service> NewMetricsService(
    const MetricsServiceParts& parts);

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_SERVER_SERVICES_H_
