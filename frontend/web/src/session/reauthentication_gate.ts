// Runs operations that require a recently confirmed second factor.
//
// 1. One dialog is open at a time, however many operations wait for it.
// 2. An operation is repeated only when the server refused it because the
//    factor was not recent, so it had no effect before.
import { failureOf, needsReauthentication } from "../api/failure";

// The user closed the dialog. This is not shown as a failure.
export class Declined extends Error {}

export class ReauthenticationGate {
  private pending: Promise<boolean> | undefined;

  // `isRecent` is the page's own estimate; the server decides. `confirm` asks
  // the user and returns whether the factor was confirmed.
  constructor(
    private readonly isRecent: () => boolean,
    private readonly confirm: () => Promise<boolean>,
  ) {}

  // Throws Declined, or what the operation throws.
  async pass<T>(operation: () => Promise<T>): Promise<T> {
    if (!this.isRecent()) await this.reauthenticate();
    try {
      return await operation();
    } catch (error) {
      if (!needsReauthentication(failureOf(error))) throw error;
    }
    await this.reauthenticate();
    return operation();
  }

  private async reauthenticate(): Promise<void> {
    this.pending ??= this.confirm().finally(() => (this.pending = undefined));
    if (!(await this.pending)) throw new Declined();
  }
}
