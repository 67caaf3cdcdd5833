// What was just done, for the eye and for a screen reader. Always in the page,
// so that what appears in it is heard.
export function StatusMessage({ text }: { text: string }) {
  return (
    <p class="status-message" role="status" data-testid="status-message">
      {text}
    </p>
  );
}
