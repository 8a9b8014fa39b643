/**
 * The expressions of `if` (actions sheet, section 3): `success()`, `failure()`, `always()`, literals, comparisons, `not`,
 * `and`, `or`, `? :`. Conditions are short; the parser is recursive and bounds its depth.
 */

/** What has become of the earlier hooks of the same action. */
interface ConditionFacts {
  readonly failed: boolean;
}

/** A condition that does not parse or evaluate; the message is for users. */
class ConditionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConditionError';
  }
}

type Value = boolean | number | string | undefined;

const functions: Readonly<Record<string, (facts: ConditionFacts) => boolean>> = {
  success: ({ failed }) => !failed,
  failure: ({ failed }) => failed,
  always: () => true,
};

const tokenPattern =
  /\s*(?:(?<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<name>[A-Za-z_]\w*)|(?<sign>&&|\|\||==|!=|<=|>=|[!<>?:()+-])|(?<end>$))/y;
const maxDepth = 50;
/** Names that are signs. */
const words: Readonly<Record<string, string>> = { not: '!', and: '&&', or: '||' };

interface Token {
  readonly kind: 'number' | 'text' | 'name' | 'sign' | 'end';
  readonly text: string;
}

/** Empty: as `success()`. @throws ConditionError. */
export function isMet(condition: string, facts: ConditionFacts): boolean {
  if (condition.trim() === '') return !facts.failed;
  const value = new Evaluation(tokensOf(condition), facts).run();
  if (typeof value !== 'boolean') throw new ConditionError("hook 'if' expression should evaluate to a boolean");
  return value;
}

function tokensOf(condition: string): readonly Token[] {
  const tokens: Token[] = [];
  tokenPattern.lastIndex = 0;
  for (;;) {
    const from = tokenPattern.lastIndex;
    const groups = tokenPattern.exec(condition)?.groups;
    if (!groups)
      throw new ConditionError(`'if' ${JSON.stringify(condition)}: ${JSON.stringify(condition.slice(from).trim())} is not understood`);
    const [kind, text] = Object.entries(groups).find(([, text]) => text !== undefined) as [Token['kind'], string];
    const sign = kind === 'name' ? words[text] : undefined;
    tokens.push(sign === undefined ? { kind, text } : { kind: 'sign', text: sign });
    if (kind === 'end') return tokens;
  }
}

/** Evaluates while it parses; what is not taken is parsed with its value thrown away. */
class Evaluation {
  readonly #tokens: readonly Token[];
  readonly #facts: ConditionFacts;
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], facts: ConditionFacts) {
    this.#tokens = tokens;
    this.#facts = facts;
  }

  run(): Value {
    const value = this.#choice(true);
    if (this.#next.kind !== 'end') throw this.#unexpected();
    return value;
  }

  get #next(): Token {
    return this.#tokens[this.#at] ?? { kind: 'end', text: '' };
  }

  #takes(...signs: readonly string[]): string | undefined {
    const { kind, text } = this.#next;
    if (kind !== 'sign' || !signs.includes(text)) return undefined;
    this.#at++;
    return text;
  }

  #expect(sign: string): void {
    if (this.#takes(sign) === undefined) throw this.#unexpected(`, ${sign} is expected`);
  }

  #unexpected(hint = ''): ConditionError {
    const { kind, text } = this.#next;
    return new ConditionError(`'if' expression: unexpected ${kind === 'end' ? 'end' : JSON.stringify(text)}${hint}`);
  }

  /** @param counts false: the value is not used, so nothing in it can be wrong but its form. */
  #choice(counts: boolean): Value {
    if (++this.#depth > maxDepth) throw new ConditionError(`'if' expression: nested more than ${maxDepth} deep`);
    const condition = this.#or(counts);
    let value = condition;
    if (this.#takes('?') !== undefined) {
      const holds = counts && truth(condition);
      const left = this.#choice(counts && holds);
      this.#expect(':');
      const right = this.#choice(counts && !holds);
      value = holds ? left : right;
    }
    this.#depth--;
    return value;
  }

  #or(counts: boolean): Value {
    let left = this.#and(counts);
    while (this.#takes('||') !== undefined) {
      const holds = counts && truth(left);
      const right = this.#and(counts && !holds);
      left = counts && (holds || truth(right));
    }
    return left;
  }

  #and(counts: boolean): Value {
    let left = this.#comparison(counts);
    while (this.#takes('&&') !== undefined) {
      const holds = counts && truth(left);
      const right = this.#comparison(counts && holds);
      left = holds && truth(right);
    }
    return left;
  }

  #comparison(counts: boolean): Value {
    let left = this.#unary(counts);
    for (
      let sign = this.#takes('==', '!=', '<', '<=', '>', '>=');
      sign !== undefined;
      sign = this.#takes('==', '!=', '<', '<=', '>', '>=')
    ) {
      const right = this.#unary(counts);
      left = counts && compare(sign, left, right);
    }
    return left;
  }

  #unary(counts: boolean): Value {
    let [negations, signed] = [0, false];
    let minus = false;
    for (let sign = this.#takes('!', '-', '+'); sign !== undefined; sign = this.#takes('!', '-', '+')) {
      if (sign === '!') negations++;
      else [signed, minus] = [true, minus !== (sign === '-')];
    }
    const value = this.#operand(counts);
    if (!counts) return value;
    if (signed && (typeof value !== 'number' || negations > 0)) throw new ConditionError(`'if' expression: ${shown(value)} has no sign`);
    if (signed) return minus ? -Number(value) : value;
    return negations === 0 ? value : truth(value) !== (negations % 2 === 1);
  }

  #operand(counts: boolean): Value {
    if (this.#takes('(') !== undefined) {
      const value = this.#choice(counts);
      this.#expect(')');
      return value;
    }
    const { kind, text } = this.#next;
    if (kind === 'end' || kind === 'sign') throw this.#unexpected();
    this.#at++;
    if (kind === 'number') return Number(text);
    if (kind === 'text') return text.slice(1, -1).replace(/\\(.)/g, '$1');
    return this.#takes('(') === undefined ? constant(text) : this.#call(text);
  }

  #call(name: string): boolean {
    const run = Object.hasOwn(functions, name) ? functions[name] : undefined;
    if (!run) throw new ConditionError(`'if' expression: unknown function ${name}(); there are ${Object.keys(functions).join('(), ')}()`);
    this.#expect(')');
    return run(this.#facts);
  }
}

/** Unknown names are nil, as `nil` itself. */
function constant(name: string): Value {
  return name === 'true' ? true : name === 'false' ? false : undefined;
}

function truth(value: Value): boolean {
  if (typeof value !== 'boolean') throw new ConditionError(`'if' expression: ${shown(value)} is not true or false`);
  return value;
}

function compare(sign: string, left: Value, right: Value): boolean {
  if (sign === '==') return left === right;
  if (sign === '!=') return left !== right;
  const comparable = (typeof left === 'number' && typeof right === 'number') || (typeof left === 'string' && typeof right === 'string');
  if (!comparable) throw new ConditionError(`'if' expression: ${shown(left)} and ${shown(right)} have no order`);
  const [a, b] = [left, right] as [number, number];
  return sign === '<' ? a < b : sign === '<=' ? a <= b : sign === '>' ? a > b : a >= b;
}

function shown(value: Value): string {
  return value === undefined ? 'nil' : JSON.stringify(value);
}
