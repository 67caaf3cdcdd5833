// The request ID under which an administrator finds a failure in the log.
import { filledMessage } from "../lib/language/filled_message";
import { messages } from "#messages/ui";

export function RequestId({ id }: { id: string }) {
  if (!id) return null;
  return (
    <p class="request-id">
      {filledMessage(messages.requestId, { id: <code>{id}</code> })}
    </p>
  );
}
