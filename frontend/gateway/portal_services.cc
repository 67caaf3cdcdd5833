#include "frontend/gateway/portal_services.h"

#include <google/protobuf/descriptor.h>

#include "carme/v1/account.pb.h"
#include "carme/v1/activity.pb.h"
#include "carme/v1/admin.pb.h"
#include "carme/v1/agent.pb.h"
#include "carme/v1/announcement.pb.h"
#include "carme/v1/audit.pb.h"
#include "carme/v1/auth.pb.h"
#include "carme/v1/choice.pb.h"
#include "carme/v1/cluster.pb.h"
#include "carme/v1/cluster_utilization.pb.h"
#include "carme/v1/dry_run.pb.h"
#include "carme/v1/environment.pb.h"
#include "carme/v1/environment_form.pb.h"
#include "carme/v1/environment_gallery.pb.h"
#include "carme/v1/factors.pb.h"
#include "carme/v1/gpu_use.pb.h"
#include "carme/v1/history.pb.h"
#include "carme/v1/image.pb.h"
#include "carme/v1/job_log.pb.h"
#include "carme/v1/jobs.pb.h"
#include "carme/v1/limit.pb.h"
#include "carme/v1/log.pb.h"
#include "carme/v1/maintenance.pb.h"
#include "carme/v1/metrics.pb.h"
#include "carme/v1/metrics_access.pb.h"
#include "carme/v1/node_history.pb.h"
#include "carme/v1/notification.pb.h"
#include "carme/v1/preset.pb.h"
#include "carme/v1/project.pb.h"
#include "carme/v1/reservation.pb.h"
#include "carme/v1/reservation_calendar.pb.h"
#include "carme/v1/routes.pb.h"
#include "carme/v1/samples.pb.h"
#include "carme/v1/session.pb.h"
#include "carme/v1/storage.pb.h"
#include "carme/v1/template.pb.h"
#include "carme/v1/user_preview.pb.h"

namespace carme::frontend {

std::vector<const google::protobuf::FileDescriptor*> PortalServiceFiles() {
  return {v1::Job::descriptor()->file(),
          v1::FollowLogRequest::descriptor()->file(),
          v1::Session::descriptor()->file(),
          v1::EnrolledFactor::descriptor()->file(),
          v1::AccessToken::descriptor()->file(),
          v1::User::descriptor()->file(),
          v1::Announcement::descriptor()->file(),
          v1::AuditEntry::descriptor()->file(),
          v1::Choice::descriptor()->file(),
          v1::GpuType::descriptor()->file(),
          v1::ClusterNode::descriptor()->file(),
          v1::HistoryJob::descriptor()->file(),
          v1::DryRun::descriptor()->file(),
          v1::EnvironmentEntry::descriptor()->file(),
          v1::EnvironmentForm::descriptor()->file(),
          v1::EnvironmentTemplate::descriptor()->file(),
          v1::Image::descriptor()->file(),
          v1::LimitRule::descriptor()->file(),
          v1::LogEntry::descriptor()->file(),
          v1::Maintenance::descriptor()->file(),
          v1::MetricSeries::descriptor()->file(),
          v1::MeasuredJob::descriptor()->file(),
          v1::JudgedJob::descriptor()->file(),
          v1::NodeSamples::descriptor()->file(),
          v1::NodeHistoryEntry::descriptor()->file(),
          v1::Notification::descriptor()->file(),
          v1::Project::descriptor()->file(),
          v1::Preset::descriptor()->file(),
          v1::Template::descriptor()->file(),
          v1::Reservation::descriptor()->file(),
          v1::GetReservationCalendarRequest::descriptor()->file(),
          v1::Route::descriptor()->file(),
          v1::Assertion::descriptor()->file(),
          v1::StorageArea::descriptor()->file(),
          v1::StartCheck::descriptor()->file(),
          v1::RegisterRequest::descriptor()->file(),
          v1::ReportActivityRequest::descriptor()->file()};
}

}  // namespace carme::frontend
