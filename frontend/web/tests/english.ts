// Tests run in English.
import { languages } from "#languages";
import { activateCatalogue } from "../src/lib/language/catalogue";

const english = languages.find(({ code }) => code === "en")!;
activateCatalogue(await english.load(), english.locale);
