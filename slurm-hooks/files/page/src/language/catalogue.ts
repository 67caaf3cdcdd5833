// The form of a catalogue. English decides which texts there are.
import type { en } from "./en";

export type Message = string | { one: string; other: string };
export type Key = keyof typeof en;
export type Catalogue = Readonly<Record<Key, Message>>;
