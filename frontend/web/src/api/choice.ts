// Client for the names that administrators choose from.
import { createClient } from "@connectrpc/connect";
import { ChoiceService } from "#proto/choice";
import { transport } from "./transport";

export const choiceClient = createClient(ChoiceService, transport);
