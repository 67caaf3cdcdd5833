import { Logo } from "../../ui/logo";
import { messages } from "#messages/jobs";

export function NoJobs() {
  return (
    <div class="empty" data-testid="no-jobs">
      <Logo />
      <p class="empty-title">{messages.noJobs}</p>
      <p class="muted">{messages.chooseAnAppAndGpus}</p>
    </div>
  );
}
