// Creates the gRPC services of carme-metrics. All pointers outlive the service.
#ifndef CARME_BACKEND_METRICS_SERVER_SERVICES_H_
#define CARME_BACKEND_METRICS_SERVER_SERVICES_H_

#include <cstddef>
#include <memory>

#include "absl/time/time.h"
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
struct SampleServiceLimits {
  int threads = 16;  // requests that wait for the database at the same time
  size_t max_waiting = 1024;  // requests that wait for a thread
  int requests_per_job = 2;   // that wait for either
  int streams = 40'000;
  int streams_per_job = 4;
  absl::Duration idle_timeout = absl::Minutes(10);  // of a stream
};
std::unique_ptr<grpc::Service> NewSampleService(
    SampleIngest* ingest, const SampleServiceLimits& limits = {});

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
