import { Logo } from "../../ui/logo";

export function NoJobs() {
  return (
    <div class="empty" data-testid="no-jobs">
      <Logo />
      <p class="empty-title">No job is running</p>
      <p class="muted">
        Choose an app and its GPUs in the form, then press Start. The job
        appears here and tells when it can be opened.
      </p>
    </div>
  );
}
