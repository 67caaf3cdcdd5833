// The request ID under which an administrator finds a failure in the log.
import { messages } from "./messages";

export function RequestId({ id }: { id: string }) {
  if (!id) return null;
  return (
    <p class="request-id">
      {messages.requestId.before}
      <code>{id}</code>
      {messages.requestId.after}
    </p>
  );
}
