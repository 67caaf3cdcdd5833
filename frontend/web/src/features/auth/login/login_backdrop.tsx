// The drawing beside the login form: orbits of Jupiter's irregular moons.

import { messages } from "#messages/auth";
export function LoginBackdrop() {
  return (
    <aside class="login-backdrop" aria-hidden="true">
      <svg viewBox="0 0 800 800" preserveAspectRatio="xMidYMid slice">
        <g class="orbits" transform="rotate(-24 400 420)">
          <ellipse cx="400" cy="420" rx="150" ry="62" />
          <ellipse cx="400" cy="420" rx="250" ry="112" />
          <ellipse cx="400" cy="420" rx="370" ry="176" />
          <ellipse class="orbit-carme" cx="400" cy="420" rx="510" ry="256" />
          <ellipse cx="400" cy="420" rx="680" ry="356" />
          <circle class="moon" cx="544" cy="402" r="5" />
          <circle class="moon" cx="176" cy="374" r="7" />
          <circle class="moon" cx="520" cy="586" r="6" />
          <circle class="moon-carme" cx="690" cy="210" r="14" />
        </g>
        <circle class="planet" cx="400" cy="420" r="74" />
        <clipPath id="disc">
          <circle cx="400" cy="420" r="74" />
        </clipPath>
        <g class="bands" clip-path="url(#disc)">
          <path d="M320 392h160M320 418h160M320 452h160" />
        </g>
      </svg>
      <div class="login-pitch">
        <p>{messages.interactiveAppsAndBatchJobs}</p>
        <p class="login-pitch-small">{messages.useYourOwnSlurmAccount}</p>
      </div>
    </aside>
  );
}
