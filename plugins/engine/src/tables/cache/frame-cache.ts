/** Prepared blocks of recently rewritten ranges: the next change nearby finds its surroundings ready to be copied. */
import { LRUCache } from 'lru-cache';
import { endsRange, frameBlock } from '../format/index.js';
import type { BlockFrame, BreakRules, UnreadBlock } from '../format/index.js';

interface CachedFrame extends BlockFrame {
  /** No key of the block ends a range by the rules for keys, and no value needs tidying. */
  readonly copyable: boolean;
}

export class FrameCache {
  readonly #frames: LRUCache<string, CachedFrame>;
  readonly #rules: BreakRules;

  /** @bound bytes of prepared blocks */
  constructor(bytes: number, rules: BreakRules) {
    this.#frames = new LRUCache({ maxSize: bytes, sizeCalculation: frame => frame.stored.length + frame.hashInput.length + 256 });
    this.#rules = rules;
  }

  get(block: UnreadBlock): CachedFrame {
    const key = block.reader.fingerprint(block.handle);
    const found = this.#frames.get(key);
    if (found) return found;
    const { keys, isNormal, ...frame } = frameBlock(block);
    const byKeys = { ...this.#rules, minSize: 0, maxSize: Number.POSITIVE_INFINITY };
    const cached = { ...frame, copyable: isNormal && !keys.some(k => endsRange(k, 0, byKeys)) };
    this.#frames.set(key, cached);
    return cached;
  }
}
