// The request ID under which an administrator finds a failure in the log.
export function RequestId({ id }: { id: string }) {
  if (!id) return null;
  return (
    <p class="request-id">
      Request ID <code>{id}</code>
    </p>
  );
}
