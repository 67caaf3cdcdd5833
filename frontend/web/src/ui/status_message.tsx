// A message about a completed action. Always in the page, so that screen
// readers announce it.
export function StatusMessage({ text }: { text: string }) {
  return (
    <p class="status-message" role="status" data-testid="status-message">
      {text}
    </p>
  );
}
