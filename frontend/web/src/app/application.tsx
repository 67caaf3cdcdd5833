// The application, loaded when the catalogue of its language is active.
import { render } from "preact";
import { App } from "./app";

export function showApplication(): void {
  render(<App />, document.getElementById("app")!);
}
