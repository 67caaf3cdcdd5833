// Something is on its way: an icon's size, three quarters of a ring.
export function Spinner() {
  return (
    <svg class="icon spinner" viewBox="0 0 24 24" aria-hidden="true">
      <path d="M12 3.5a8.5 8.5 0 1 1-8.5 8.5" />
    </svg>
  );
}
