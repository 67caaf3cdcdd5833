import { Logo } from "../../ui/logo";

export function NoJobs() {
  return (
    <div class="empty" data-testid="no-jobs">
      <Logo />
      <p class="empty-title">No jobs</p>
      <p class="muted">
        Choose an app and GPUs in the form and select Start. The job appears
        here.
      </p>
    </div>
  );
}
