#include "backend/rpc/convert/reservation_proto.h"

#include "backend/jobs/model/job_proto.h"
#include "carme/v1/reservation.pb.h"

namespace carme::backend {

void Fill(const ReservationView& view, v1::Reservation* row) {
  row->set_name(view.name);
  // Slurm's infinite end has no Timestamp.
  if (view.starts_at != absl::InfinitePast()) {
    Fill(view.starts_at, row->mutable_starts_at());
  }
  if (view.ends_at != absl::InfiniteFuture()) {
    Fill(view.ends_at, row->mutable_ends_at());
  }
  row->set_nodes(view.nodes);
  *row->mutable_node_names() = {view.node_names.begin(), view.node_names.end()};
  row->set_partition(view.partition);
  row->set_for_maintenance(view.for_maintenance);
  row->set_usable(view.usable);
  row->set_mine(view.mine);
  row->set_may_cancel(view.reservation && view.may_cancel);
  *row->mutable_users() = {view.users.begin(), view.users.end()};
  if (!view.reservation) return;
  row->set_id(view.reservation->id);
  row->set_state(view.reservation->state);
  row->set_title(view.reservation->spec.title);
  row->set_project(view.reservation->spec.project);
  row->set_owner(view.reservation->owner);
}

}  // namespace carme::backend
