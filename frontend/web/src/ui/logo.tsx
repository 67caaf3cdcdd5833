import { branding } from "../lib/branding";

// The site's logo, or Carme, a moon of Jupiter, on its tilted orbit.
export function Logo() {
  if (branding.logo) return <img class="logo" src={branding.logo} alt="" />;
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
      <ellipse class="logo-orbit" cx="16" cy="16" rx="14" ry="6.6" />
      <circle class="logo-planet" cx="16" cy="16" r="5.4" />
      <circle class="logo-moon" cx="26.6" cy="7.6" r="3" />
    </svg>
  );
}
