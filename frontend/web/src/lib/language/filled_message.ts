// A message with elements as arguments, such as a time or a link.
import type { ComponentChildren } from "preact";

// Delimits names of arguments; no text contains it.
const kMark = "\u0000";

export function filledMessage<Name extends string>(
  message: (args: Record<Name, string>) => string,
  elements: Record<Name, ComponentChildren>,
): ComponentChildren {
  const names = Object.keys(elements) as Name[];
  const marks = Object.fromEntries(
    names.map((name) => [name, kMark + name + kMark]),
  ) as Record<Name, string>;
  // Every second piece is the name of an argument.
  return message(marks)
    .split(kMark)
    .map((piece, at) => (at % 2 === 0 ? piece : elements[piece as Name]));
}
