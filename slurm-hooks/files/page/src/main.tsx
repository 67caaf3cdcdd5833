// The page of the file browser. The catalogue is loaded before anything is
// rendered.
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/layout.css";
import "./styles/table.css";
import "./styles/overlays.css";
import "./styles/viewer.css";
import { render } from "preact";
import { FilesPage } from "./files_page";
import { activate, languageOf, storedLanguage } from "./language/text";
import { App } from "./ui/app";

const language = languageOf(storedLanguage(), navigator.languages);
const catalogue =
  language === "de"
    ? (await import("./language/de")).de
    : (await import("./language/en")).en;
activate(catalogue, language);
document.documentElement.lang = language;

const page = new FilesPage();
render(<App page={page} />, document.getElementById("app")!);
void page.start();
