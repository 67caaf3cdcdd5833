// A progress indicator in the size of an icon.
export function Spinner() {
  return (
    <svg class="icon spinner" viewBox="0 0 24 24" aria-hidden="true">
      <path d="M12 3.5a8.5 8.5 0 1 1-8.5 8.5" />
    </svg>
  );
}
