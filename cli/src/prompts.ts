/** Questions to the person at the terminal; answers can also come through a pipe, one line each. */
import { createInterface } from 'node:readline/promises';

export interface Question {
  readonly message: string;
  readonly default?: string;
  /** The answer is not shown. */
  readonly secret?: boolean;
  /** A sentence that says what is wrong with an answer, or true. */
  readonly validate?: (answer: string) => string | true;
}

/** @throws Error when the user cancels, or a piped answer is not valid. */
export async function ask(questions: readonly Question[], canAsk: boolean): Promise<string[]> {
  return canAsk ? askPerson(questions) : readAnswers(questions);
}

async function askPerson(questions: readonly Question[]): Promise<string[]> {
  const [{ default: input }, { default: password }] = await Promise.all([import('@inquirer/input'), import('@inquirer/password')]);
  const answers: string[] = [];
  for (const { message, default: preset, secret, validate } of questions) {
    const rules = validate ? { validate } : {};
    answers.push(
      secret ? (await password({ message, mask: '*', ...rules })) || (preset ?? '') : await input({ message, default: preset, ...rules }),
    );
  }
  return answers;
}

async function readAnswers(questions: readonly Question[]): Promise<string[]> {
  const lines: string[] = [];
  const reader = createInterface({ input: process.stdin });
  for await (const line of reader) if (lines.push(line) === questions.length) break;
  reader.close();
  return questions.map(({ message, default: preset, validate }, index) => {
    const answer = lines[index]?.trim() || preset;
    if (answer === undefined) throw new Error(`${message}: no answer; run this on a terminal, or give one line for each question`);
    const verdict = validate?.(answer) ?? true;
    if (verdict !== true) throw new Error(`${message}: ${verdict}`);
    return answer;
  });
}

/** Anything but yes is no. */
export async function agrees(question: string): Promise<boolean> {
  const { default: confirm } = await import('@inquirer/confirm');
  return confirm({ message: question, default: false }).catch(() => false);
}
