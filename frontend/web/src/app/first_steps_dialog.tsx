// What a person needs to know before the first job.
import { Dialog } from "../ui/dialog";
import "../styles/commands.css";
import { messages } from "#messages/app";

const kSteps = [
  [messages.firstStepStart, messages.firstStepStartText],
  [messages.firstStepWait, messages.firstStepWaitText],
  [messages.firstStepOpen, messages.firstStepOpenText],
  [messages.firstStepStop, messages.firstStepStopText],
] as const;

export function FirstStepsDialog({ close }: { close(): void }) {
  return (
    <Dialog title={messages.firstSteps} close={close}>
      <ol class="first-steps" data-testid="first-steps-list">
        {kSteps.map(([title, text]) => (
          <li key={title}>
            <strong>{title}</strong>
            <p class="muted">{text}</p>
          </li>
        ))}
      </ol>
      <div class="dialog-actions">
        <button class="button button-primary" type="button" onClick={close}>
          {messages.close}
        </button>
      </div>
    </Dialog>
  );
}
