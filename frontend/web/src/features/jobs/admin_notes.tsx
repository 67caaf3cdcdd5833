// Administrators' actions on a job, shown to its owner.
import type { Job } from "#proto/jobs";
import { Icon } from "../../ui/icon";
import { Moment } from "../../ui/moment";
import { adminNote } from "./admin_labels";

export function AdminNotes({ job }: { job: Job }) {
  if (job.adminActions.length === 0) return null;
  return (
    <ul class="admin-notes" data-testid="admin-notes">
      {job.adminActions.map((action, index) => (
        <li key={index} class="job-reason">
          <Icon name="shield" />
          <span>
            {adminNote(action)} <Moment at={action.at} />
          </span>
        </li>
      ))}
    </ul>
  );
}
