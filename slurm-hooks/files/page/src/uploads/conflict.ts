// What happens with a file whose name is taken. The person answers once for a
// file or once for all that follow of the same upload.
export type Choice = "replace" | "keep both" | "skip";

export interface Answer {
  choice: Choice;
  forAll: boolean;
}

export type Ask = (name: string, remaining: number) => Promise<Answer>;

// Asks one question at a time; an answer for all answers those that wait.
export class ConflictQuestions {
  private forAll: Choice | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly ask: Ask) {}

  choiceFor(name: string, remaining: () => number): Promise<Choice> {
    const choice = this.last.then(async () => {
      if (this.forAll) return this.forAll;
      const answer = await this.ask(name, remaining());
      if (answer.forAll) this.forAll = answer.choice;
      return answer.choice;
    });
    this.last = choice.catch(() => undefined);
    return choice;
  }
}
