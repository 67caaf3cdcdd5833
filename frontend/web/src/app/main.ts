// Loads the catalogue of the language, then the application, then the texts of
// the server.
import {
  activateCatalogue,
  expectServerMessages,
} from "../lib/language/catalogue";
import { applyBranding, branding } from "../lib/branding";
import { shownLanguage } from "../lib/language/language";
import { applyStoredTheme } from "../ui/theme";
import "../styles/tokens.css";
import "../styles/base.css";
import "../styles/controls.css";
import "../styles/factors.css";
import "../styles/login.css";
import "../styles/shell.css";
import "../styles/cluster.css";
import "../styles/jobs.css";
import "../styles/additional_nodes.css";
import "../styles/job_lifetime.css";
import "../styles/start.css";
import "../styles/apps.css";
import "../styles/log.css";
import "../styles/overlays.css";
import "../features/announcements/announcements.css";
import "../features/metrics/sparks/sparks.css";

applyStoredTheme();
applyBranding(branding);
const language = shownLanguage();
document.documentElement.lang = language.code;
void start();

// Without a top-level await, the build needs no file for what the application
// shares with this one.
async function start(): Promise<void> {
  activateCatalogue(await language.load(), language.locale);
  const { showApplication } = await import("./application");
  const { loadServer } = language;
  if (loadServer) expectServerMessages(nextPaint().then(loadServer));
  showApplication();
}

const kUnpaintedMs = 500;

// Resolves after the next paint; after a while also in a page in the background.
function nextPaint(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve, 0));
    setTimeout(resolve, kUnpaintedMs);
  });
}
