import { expect, it } from "vitest";
import { filledMessage } from "../../../src/lib/language/filled_message";

it("elements stand where the message has their arguments", () => {
  const message = ({ size, file }: { size: string; file: string }) =>
    `In ${file}: ${size} more.`;
  expect(filledMessage(message, { size: 3, file: "log" })).toEqual([
    "In ",
    "log",
    ": ",
    3,
    " more.",
  ]);
});
