// The placeholder of the form until the cluster is loaded.
export function StartSkeleton() {
  return (
    <div class="start start-skeleton" aria-hidden="true">
      <div class="skeleton skeleton-title" />
      {[0, 1, 2, 3].map((key) => (
        <div key={key} class="skeleton skeleton-field" />
      ))}
    </div>
  );
}
