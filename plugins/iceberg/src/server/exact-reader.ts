/** Reads JSON slice by slice. Integers keep all of their digits. */
import { TokenParser, TokenType, Tokenizer } from '@streamparser/json';
import type { ParsedTokenInfo } from '@streamparser/json';

/** That of Jackson, by which Java clients read. @bound levels of objects and lists in a JSON document of the catalog */
const maxLevels = 1000;
/** As well: a number of millions of digits would hold the server for seconds. @bound characters of a number in a JSON document of the catalog */
const maxNumber = 1000;

/** Bytes that are gathered until they are decoded: more than most texts and numbers have. */
const buffers = { stringBufferSize: 4096, numberBufferSize: 64 };

export class ExactReader {
  readonly #tokenizer = new ExactTokenizer(buffers);
  readonly #parser = new TokenParser({ paths: ['$'] });
  #levels = 0;
  #last: unknown;
  #document: { readonly value: unknown } | undefined;

  constructor() {
    this.#tokenizer.onToken = token => this.#take(token);
    this.#parser.onValue = ({ value }) => {
      this.#document = { value };
    };
  }

  /** @throws Error for what is not JSON, for an object named `__proto__`, and beyond the limits. */
  write(slice: Buffer): void {
    this.#tokenizer.write(slice);
  }

  /** @returns the document. @throws Error when it has not ended. */
  finish(): unknown {
    this.#tokenizer.end();
    if (!this.#document) throw new Error('it ends too early');
    return this.#document.value;
  }

  #take(token: ParsedTokenInfo): void {
    const { token: type, value } = token;
    if (type === TokenType.LEFT_BRACE || type === TokenType.LEFT_BRACKET) this.#levels++;
    if (type === TokenType.RIGHT_BRACE || type === TokenType.RIGHT_BRACKET) this.#levels--;
    if (this.#levels > maxLevels) throw new Error(`it has more than ${maxLevels} levels`);
    if (type === TokenType.COLON && this.#last === '__proto__') throw new Error('an object must not be named __proto__');
    this.#last = value;
    this.#parser.write(token);
  }
}

class ExactTokenizer extends Tokenizer {
  /** @returns integers that are not safe as `bigint`, which the parser passes on like any other value. */
  protected override parseNumber(text: string): number {
    if (text.length > maxNumber) throw new Error(`a number has more than ${maxNumber} characters`);
    const value = Number(text);
    const isExact = Number.isSafeInteger(value) || !/^-?\d+$/.test(text);
    return isExact ? value : (BigInt(text) as unknown as number);
  }
}
